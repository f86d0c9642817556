//! Evacuation on the machine: everything reachable is copied to new memory, and the old memory is dead, whether or not the
//! copy pays off. So a pointer that evacuation misses is detected at its next use. A pointer into the middle of an object
//! that is moved is a panic.

use super::{Alive, Handle, Value};
use clef_base::{HashMap, HashSet};
use clef_core::{Evacuation, GlobalId};
use clef_types::{Type, TypeKind};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The panic message for a cell in a closure that is moved on its own.
const INTERIOR: &str = "evacuation of a pointer to the middle of an object";

/// Moves what is reachable from roots of these types; returns the new roots.
pub(super) fn evacuate(
    evacuation: &Evacuation<'_>,
    moves: &[(Handle, Option<Handle>)],
    (roots, types): (&[Value], &[Type]),
    (values, globals): (&mut HashMap<GlobalId, Value>, &[GlobalId]),
    everywhere: bool,
) -> Value {
    let mut targets = HashMap::default();
    let mut handles = HashMap::default();
    let mut old = Vec::new();
    for (from, to) in moves {
        let before = from.replace(Rc::new(Cell::new(true)));
        let target = match to {
            None => from.borrow().clone(),
            Some(to) => to.borrow().clone(),
        };
        targets.insert(Rc::as_ptr(&before), target);
        if let Some(to) = to {
            handles.insert(Rc::as_ptr(from), to.clone());
        }
        old.push(before);
    }
    let mut mover = Mover {
        evacuation,
        everywhere,
        targets,
        handles,
        moved: HashMap::default(),
        inside: HashSet::default(),
        met: HashSet::default(),
        kept_alive: Vec::new(),
    };
    for global in globals {
        if let Some(value) = values.get_mut(global) {
            *value = mover.value(value, evacuation.program().globals[*global].ty);
        }
    }
    let roots = roots.iter().zip(types).map(|(root, ty)| mover.value(root, *ty)).collect();
    old.iter().for_each(|alive| alive.set(false));
    Value::Tuple(roots)
}

struct Mover<'a> {
    evacuation: &'a Evacuation<'a>,
    everywhere: bool,
    /// The new memory for the contents of each old memory.
    targets: HashMap<*const Cell<bool>, Alive>,
    /// The replacements of the handles of regions that end.
    handles: HashMap<*const RefCell<Alive>, Handle>,
    /// The copies of moved contents.
    moved: HashMap<*const (), Value>,
    /// The cells in closures that were moved.
    inside: HashSet<*const ()>,
    /// The contents in other memory that were traversed.
    met: HashSet<*const ()>,
    /// Keeps contents alive whose addresses are keys.
    kept_alive: Vec<Value>,
}

impl Mover<'_> {
    fn target(&self, alive: &Option<Alive>) -> Option<Option<Alive>> {
        self.targets.get(&Rc::as_ptr(alive.as_ref()?)).cloned().map(Some)
    }

    /// A value after the evacuation.
    fn value(&mut self, value: &Value, ty: Type) -> Value {
        let program = self.evacuation.program();
        if !self.evacuation.has_pointers(ty) {
            return value.clone();
        }
        match (value, program.types.kind(ty)) {
            (Value::Text(text, alive), _) => match self.target(alive) {
                Some(alive) => Value::Text(text.clone(), alive),
                None => value.clone(),
            },
            (Value::Region(handle), _) => match self.handles.get(&Rc::as_ptr(handle)) {
                Some(to) => Value::Region(to.clone()),
                None => value.clone(),
            },
            (Value::Tuple(parts), TypeKind::Tuple(types)) => {
                Value::Tuple(parts.iter().zip(types).map(|(part, ty)| self.value(part, *ty)).collect())
            }
            (Value::Case(tag, fields), _) => {
                let types = &program.declared[&ty].cases[*tag].fields;
                Value::Case(*tag, fields.iter().zip(types).map(|(field, ty)| self.value(field, *ty)).collect())
            }
            (Value::Cell(content, alive), TypeKind::Reference(of) | TypeKind::Slot(of)) => {
                let key = Rc::as_ptr(content).cast();
                assert!(!self.inside.contains(&key), "{INTERIOR}");
                let fill = |mover: &mut Mover<'_>, content: &RefCell<Value>| {
                    let before = content.borrow().clone();
                    *content.borrow_mut() = mover.value(&before, *of);
                };
                let fresh = |alive| {
                    let copy = Rc::new(RefCell::new(content.borrow().clone()));
                    (copy.clone(), Value::Cell(copy, alive))
                };
                self.object(value, key, alive, true, (content, fresh), fill)
            }
            (Value::Array(elements, alive), TypeKind::Array(of)) => {
                let key = Rc::as_ptr(elements).cast();
                let fresh = |alive| {
                    let copy = Rc::new(RefCell::new(elements.borrow().clone()));
                    (copy.clone(), Value::Array(copy, alive))
                };
                let types = std::iter::repeat_n(*of, elements.borrow().len()).collect();
                let fill = |mover: &mut Mover<'_>, fields: &RefCell<Vec<Value>>| mover.fill(fields, types);
                self.object(value, key, alive, true, (elements, fresh), fill)
            }
            (Value::Node(tag, fields, alive), _) => {
                let key = Rc::as_ptr(fields).cast();
                let fresh = |alive| {
                    let copy = Rc::new(RefCell::new(fields.borrow().clone()));
                    (copy.clone(), Value::Node(*tag, copy, alive))
                };
                let types = program.declared[&ty].cases[*tag].fields.clone();
                let follow = self.everywhere || self.evacuation.overwritable(ty);
                let fill = |mover: &mut Mover<'_>, fields: &RefCell<Vec<Value>>| mover.fill(fields, types);
                self.object(value, key, alive, follow, (fields, fresh), fill)
            }
            (Value::Closure(function, captures, alive), _) => self.closure(value, *function, captures, alive, ty),
            (Value::Plain(_) | Value::Pointer(..), _) => value.clone(),
            (Value::Tuple(_) | Value::Cell(..) | Value::Array(..), _) => panic!("a value has another type"),
        }
    }

    fn closure(
        &mut self,
        value: &Value,
        function: clef_core::FunctionId,
        captures: &Rc<RefCell<Vec<Value>>>,
        alive: &Option<Alive>,
        ty: Type,
    ) -> Value {
        let constant = captures.borrow().is_empty();
        assert!(constant || self.evacuation.lambdas(ty).contains(&function), "a closure has another type");
        let captured: Vec<(Type, bool)> =
            self.evacuation.captures(function).map(|(_, ty, owned)| (ty, owned)).collect();
        if self.target(alive).is_some() {
            let captures = captures.borrow();
            let cells = captures.iter().zip(&captured).filter_map(|(capture, (_, owned))| match capture {
                Value::Cell(content, _) if *owned => Some(Rc::as_ptr(content).cast()),
                _ => None,
            });
            self.inside.extend(cells);
            assert!(self.inside.iter().all(|cell| !self.moved.contains_key(cell)), "{INTERIOR}");
        }
        let fresh = |alive: Option<Alive>| {
            let before = captures.borrow().clone();
            let copy = before.iter().zip(&captured).map(|(capture, (_, owned))| match capture {
                Value::Cell(content, _) if *owned => {
                    Value::Cell(Rc::new(RefCell::new(content.borrow().clone())), alive.clone())
                }
                other => other.clone(),
            });
            let copy = Rc::new(RefCell::new(copy.collect::<Vec<Value>>()));
            (copy.clone(), Value::Closure(function, copy, alive))
        };
        let fill = |mover: &mut Mover<'_>, captures: &RefCell<Vec<Value>>| {
            let before = captures.borrow().clone();
            let after = before.iter().zip(&captured).map(|(capture, (ty, owned))| match capture {
                Value::Cell(content, _) if *owned => {
                    let inside = content.borrow().clone();
                    *content.borrow_mut() = mover.value(&inside, *ty);
                    capture.clone()
                }
                other => mover.value(other, *ty),
            });
            let after: Vec<Value> = after.collect();
            *captures.borrow_mut() = after;
        };
        let follow = self.everywhere || self.evacuation.overwritable(ty);
        self.object(value, Rc::as_ptr(captures).cast(), alive, follow, (captures, fresh), fill)
    }

    fn fill(&mut self, fields: &RefCell<Vec<Value>>, types: Vec<Type>) {
        let before = fields.borrow().clone();
        let after: Vec<Value> = before.iter().zip(types).map(|(field, ty)| self.value(field, ty)).collect();
        *fields.borrow_mut() = after;
    }

    /// An object after the evacuation: a copy in new memory, or itself if it is in other memory.
    fn object<T: ?Sized>(
        &mut self,
        value: &Value,
        key: *const (),
        alive: &Option<Alive>,
        follow: bool,
        (content, fresh): (&Rc<T>, impl FnOnce(Option<Alive>) -> (Rc<T>, Value)),
        fill: impl FnOnce(&mut Self, &T),
    ) -> Value {
        if let Some(moved) = self.moved.get(&key) {
            return moved.clone();
        }
        match self.target(alive) {
            Some(alive) => {
                let (copy, new) = fresh(alive);
                self.kept_alive.push(value.clone());
                self.moved.insert(key, new.clone());
                fill(self, &copy);
                new
            }
            None => {
                let living = alive.as_ref().is_none_or(|alive| alive.get());
                if follow && living && self.met.insert(key) {
                    self.kept_alive.push(value.clone());
                    fill(self, content);
                }
                value.clone()
            }
        }
    }
}
