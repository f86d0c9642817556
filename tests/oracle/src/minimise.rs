//! Reduces a finding while it still shows the difference: first programs, then bindings, then expressions.
//!
//! Each step removes one thing or replaces it by a smaller expression of the same type (delta debugging over the tree:
//! Misherghi, Su, "HDD: hierarchical delta debugging", 2006), and is kept if the difference is still of the same kind.
//! A step that makes the program ill-typed or endless fails on the interpreter, before anything is compiled.

use crate::{
    batch::Batch,
    compiled::{Board, Compiler, Input},
    peaks::{growth, renewals},
    reference::{End, check, interpret},
    run::{Difference, Finding, compare, fuel, judged},
    tree::{Arm, Binding, Expr, Kind, Parameter, Part, Pattern, Program, Step},
    types::{Declaration, Library, Made, Type, made},
};
use std::{io, mem};

/// The smallest programs found that still show the difference, and the difference they show.
pub fn minimise(finding: &Finding, compiler: &Compiler) -> io::Result<Finding> {
    let mut search = Search { compiler, best: finding.clone() };
    search.programs()?;
    loop {
        let before = search.size();
        search.items()?;
        search.expressions()?;
        if search.size() >= before {
            return Ok(search.best);
        }
    }
}

struct Search<'a> {
    compiler: &'a Compiler,
    best: Finding,
}

impl Search<'_> {
    fn size(&self) -> usize {
        Batch::new(self.best.programs.clone()).text().len()
    }

    /// Keeps these programs if they still show the difference.
    fn keep(&mut self, programs: Vec<Program>) -> io::Result<bool> {
        let difference = match (&self.best.place, self.is_of_memory()) {
            (Some((board, level)), true) => grown(self.compiler, &programs, *board, level)?,
            (place, _) => difference(self.compiler, &programs, place.as_ref())?,
        };
        let Some(difference) = difference.filter(|found| is_alike(found, &self.best.difference)) else {
            return Ok(false);
        };
        self.best.programs = programs;
        self.best.difference = difference;
        Ok(true)
    }

    /// Removes programs: all but the last, or else halves, quarters … of those before it.
    fn programs(&mut self) -> io::Result<()> {
        let last = self.best.programs.len() - 1;
        if last > 0 && self.keep(self.best.programs[last..].to_vec())? {
            return Ok(());
        }
        let mut chunk = last.div_ceil(2);
        while chunk > 0 {
            let mut start = 0;
            while start < self.best.programs.len().saturating_sub(1) {
                let mut fewer = self.best.programs.clone();
                let end = (start + chunk).min(fewer.len() - usize::from(!self.is_broken()));
                fewer.drain(start..end);
                if fewer.is_empty() || !self.keep(fewer)? {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
        Ok(())
    }

    /// Whether it is about memory.
    fn is_of_memory(&self) -> bool {
        matches!(self.best.difference, Difference::Grown { .. } | Difference::Stopped(_))
    }

    /// Whether the compiler fails: then no single program is known to be the cause.
    fn is_broken(&self) -> bool {
        matches!(self.best.difference, Difference::Broken(_))
    }

    /// Removes bindings of modules, from the last to the first.
    fn items(&mut self) -> io::Result<()> {
        for place in 0..self.best.programs.len() {
            for item in (0..self.best.programs[place].items.len()).rev() {
                let mut fewer = self.best.programs.clone();
                fewer[place].items.remove(item);
                self.keep(fewer)?;
            }
        }
        Ok(())
    }

    /// Replaces expressions by smaller ones, from the outermost inwards.
    fn expressions(&mut self) -> io::Result<()> {
        for place in 0..self.best.programs.len() {
            let mut node = 0;
            while let Some(expr) = nth(&mut self.best.programs[place].clone(), node).cloned() {
                let declarations = self.best.programs[place].declarations.clone();
                let mut changed = false;
                for candidate in candidates(&expr, &declarations) {
                    let mut smaller = self.best.programs.clone();
                    if let Some(found) = nth(&mut smaller[place], node) {
                        *found = candidate;
                    }
                    let renewed = |programs: &[Program]| programs.iter().map(renewals).sum::<usize>();
                    if self.is_of_memory() && renewed(&smaller) < renewed(&self.best.programs) {
                        continue;
                    }
                    if self.keep(smaller)? {
                        changed = true;
                        break;
                    }
                }
                node += usize::from(!changed);
            }
        }
        Ok(())
    }
}

/// The difference that these programs show, if they are valid.
fn difference(
    compiler: &Compiler,
    programs: &[Program],
    place: Option<&(Board, String)>,
) -> io::Result<Option<Difference>> {
    let batch = Batch::new(programs.to_vec());
    let fuel = fuel(programs.len());
    // OCaml judges runs with 32-bit words.
    let bits = place.map_or(32, |(board, _)| board.word_bits);
    let expected = match interpret(&batch.files, bits, fuel) {
        Ok(ran) => ran,
        Err(rejected) => return Ok(Some(Difference::Rejected(rejected.code, rejected.rendered))),
    };
    match &expected.end {
        End::Never => return Ok(None),
        End::Broken(message) => return Ok(Some(Difference::Broken(message.clone()))),
        End::Status(_) | End::Trap(_) => {}
    }
    let Some((board, level)) = place else { return judged(programs, &expected, compiler) };
    let found = compiler.run(&batch, *board, level, Input::default())?;
    Ok(compare(&batch, &expected, &found).map(|(_, difference)| difference))
}

/// The growth of the memory use of these programs, if they are valid.
fn grown(compiler: &Compiler, programs: &[Program], board: Board, level: &str) -> io::Result<Option<Difference>> {
    let batch = Batch::new(programs.to_vec());
    match check(&batch.files, board.word_bits) {
        Ok(()) => growth(compiler, &batch, board, level),
        Err(_) => Ok(None),
    }
}

/// Whether two differences are of one kind.
fn is_alike(one: &Difference, other: &Difference) -> bool {
    match (one, other) {
        (Difference::Rejected(one, _), Difference::Rejected(other, _)) => one == other,
        (Difference::Broken(_), Difference::Broken(_)) => true,
        (Difference::Output { .. }, Difference::Output { .. }) => true,
        (Difference::Judged { .. }, Difference::Judged { .. }) => true,
        (Difference::Grown { announced: one, .. }, Difference::Grown { announced: other, .. }) => {
            one.is_empty() == other.is_empty()
        }
        (Difference::Stopped(_), Difference::Stopped(_)) => true,
        (Difference::Rejected(..) | Difference::Broken(_) | Difference::Grown { .. } | Difference::Stopped(_), _) => {
            false
        }
        (Difference::Output { .. } | Difference::Judged { .. }, _) => false,
    }
}

/// The expression with this index in a program, counted from the outermost inwards.
fn nth(program: &mut Program, number: usize) -> Option<&mut Expr> {
    let mut rest = number;
    program.expressions_mut().into_iter().find_map(|expr| nth_within(expr, &mut rest))
}

fn nth_within<'a>(expr: &'a mut Expr, rest: &mut usize) -> Option<&'a mut Expr> {
    if *rest == 0 {
        return Some(expr);
    }
    *rest -= 1;
    expr.children_mut().into_iter().find_map(|child| nth_within(child, rest))
}

/// Smaller expressions that may replace one, the smallest first.
fn candidates(expr: &Expr, declarations: &[Declaration]) -> Vec<Expr> {
    let mut candidates: Vec<Expr> = smallest(&expr.ty, declarations, SMALLEST_DEPTH).into_iter().collect();
    // For a function that would replace another, only the name is known, not the type.
    let called = |children: &[&mut Expr]| matches!(expr.kind, Kind::Apply(..)) && !children.is_empty();
    let mut copy = expr.clone();
    let children = copy.children_mut();
    let skipped = usize::from(called(&children));
    for child in children.into_iter().skip(skipped) {
        let grandchildren = child.clone().children_mut().into_iter().map(|inner| inner.clone()).collect::<Vec<_>>();
        candidates.extend(std::iter::once(child.clone()).chain(grandchildren).filter(|inner| inner.ty == expr.ty));
    }
    let text_length = |expr: &Expr| format!("{expr:?}").len();
    let own = text_length(expr);
    candidates.extend(reduced(expr));
    candidates.retain(|candidate| text_length(candidate) < own);
    candidates
}

/// The expression without one of its parts.
fn reduced(expr: &Expr) -> Vec<Expr> {
    let with = |kind: Kind| Expr::new(expr.ty.clone(), kind);
    match &expr.kind {
        Kind::Sequence(items) => {
            let without = |index: usize| {
                let mut items = items.clone();
                items.remove(index);
                if items.len() == 1 { items.remove(0) } else { with(Kind::Sequence(items)) }
            };
            (0..items.len() - 1).map(without).collect()
        }
        Kind::Let(binding, body) => {
            let mut all = vec![(**body).clone()];
            if let Binding::Functions(functions) = &**binding
                && functions.len() > 1
            {
                all.extend((0..functions.len()).map(|index| {
                    let one = Binding::Functions(vec![functions[index].clone()]);
                    with(Kind::Let(Box::new(one), body.clone()))
                }));
            }
            all
        }
        Kind::Match(scrutinee, arms) => {
            without_arms(arms).into_iter().map(|arms| with(Kind::Match(scrutinee.clone(), arms))).collect()
        }
        Kind::Cases(arms) => without_arms(arms).into_iter().map(|arms| with(Kind::Cases(arms))).collect(),
        Kind::Text(parts) if parts.len() > 1 => (0..parts.len())
            .map(|index| {
                let mut parts: Vec<Part> = parts.clone();
                parts.remove(index);
                with(Kind::Text(parts))
            })
            .collect(),
        Kind::Constant(_) | Kind::Name(_) | Kind::Apply(..) | Kind::Binary(..) | Kind::Prefix(..) => Vec::new(),
        Kind::Tuple(_) | Kind::Record(_) | Kind::Update(..) | Kind::Field(..) | Kind::If(..) => Vec::new(),
        Kind::When(..) | Kind::Lambda(..) | Kind::Assign(..) | Kind::While { .. } | Kind::For { .. } => Vec::new(),
        Kind::SetIndex(..) => Vec::new(),
        Kind::Lazy(_) | Kind::Index(..) | Kind::Slice(..) | Kind::NamedCase(..) | Kind::SetField(..) => Vec::new(),
        Kind::Generate(steps) => without_steps(steps).into_iter().map(|steps| with(Kind::Generate(steps))).collect(),
        Kind::Format(function, parts) if parts.len() > 1 => (0..parts.len())
            .map(|index| {
                let mut parts: Vec<Part> = parts.clone();
                parts.remove(index);
                with(Kind::Format(function, parts))
            })
            .collect(),
        Kind::Format(..) => Vec::new(),
        Kind::Text(_) | Kind::Show(_) | Kind::Trace(..) | Kind::ForIn(..) | Kind::Comprehension { .. } => Vec::new(),
        Kind::Items(items) => (0..items.len())
            .map(|index| {
                let mut items = items.clone();
                items.remove(index);
                with(Kind::Items(items))
            })
            .collect(),
    }
}

/// Removes one of the steps, or replaces it by its inner ones.
fn without_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for index in 0..steps.len() {
        let mut fewer = steps.to_vec();
        let removed = fewer.remove(index);
        if !fewer.is_empty() {
            all.push(fewer);
        }
        let inner = match removed {
            Step::For(bound, source, inner) => {
                without_steps(&inner).into_iter().map(|inner| Step::For(bound.clone(), source.clone(), inner)).collect()
            }
            Step::Range(variable, range, inner) => {
                let one = |inner| Step::Range(variable.clone(), range.clone(), inner);
                without_steps(&inner).into_iter().map(one).collect()
            }
            Step::When(condition, then, otherwise) if otherwise.is_empty() => {
                without_steps(&then).into_iter().map(|then| Step::When(condition.clone(), then, Vec::new())).collect()
            }
            Step::When(condition, then, otherwise) => [then, otherwise]
                .into_iter()
                .map(|steps| Step::When(condition.clone(), steps, Vec::new()))
                .collect::<Vec<_>>(),
            Step::While { counter, bound, condition, steps } => {
                let one = |steps| Step::While { counter: counter.clone(), bound, condition: condition.clone(), steps };
                without_steps(&steps).into_iter().map(one).collect()
            }
            Step::Yield(_) | Step::YieldAll(_) | Step::Let(..) | Step::Do(_) => Vec::new(),
            Step::Slot(..) | Step::Use(..) => Vec::new(),
        };
        for step in inner {
            let mut changed = steps.to_vec();
            changed[index] = step;
            all.push(changed);
        }
    }
    all
}

/// Removes one of the arms, or a guard.
fn without_arms(arms: &[Arm]) -> Vec<Vec<Arm>> {
    let mut all = Vec::new();
    for index in 0..arms.len() {
        if arms.len() > 1 {
            let mut fewer = arms.to_vec();
            fewer.remove(index);
            all.push(fewer);
        }
        let mut unguarded = arms.to_vec();
        if mem::take(&mut unguarded[index].guard).is_some() {
            all.push(unguarded);
        }
    }
    all
}

/// The maximum nesting of smallest values; otherwise mutually recursive types would be endless.
const SMALLEST_DEPTH: usize = 8;

/// A short value of a type, if there is one that needs no name.
fn smallest(ty: &Type, declarations: &[Declaration], depth: usize) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let all = |types: &[Type]| types.iter().map(|ty| smallest(ty, declarations, depth)).collect::<Option<Vec<_>>>();
    let text = match ty {
        Type::Unit => "()".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Char => "'a'".to_owned(),
        Type::String => "\"\"".to_owned(),
        Type::Float => "0.0".to_owned(),
        Type::Single => "0.0f".to_owned(),
        Type::Integer(width) => width.literal(0),
        Type::Measured(base, measure) => {
            format!("{}<{}>", if base.is_float() { "0.0" } else { "0" }, measure.text())
        }
        Type::Tuple(parts) => return Some(Expr::new(ty.clone(), Kind::Tuple(all(parts)?))),
        Type::Function(parameter, result) => {
            let parameter = Parameter { pattern: Pattern::Any, ty: (**parameter).clone(), annotated: true };
            let body = smallest(result, declarations, depth)?;
            return Some(Expr::new(ty.clone(), Kind::Lambda(vec![parameter], Box::new(body))));
        }
        Type::Library(Library::Ref, parts) => return Some(Expr::apply(ty.clone(), "ref", all(parts)?)),
        Type::Library(Library::List | Library::Array, _) => {
            return Some(Expr::new(ty.clone(), Kind::Items(Vec::new())));
        }
        Type::Library(Library::Seq | Library::Lazy | Library::Map | Library::Set, _) => return None,
        Type::Library(Library::Option | Library::Result, _) | Type::Declared(..) => {
            return match made(ty, declarations) {
                Made::Fields(fields) => {
                    let value =
                        |(name, field): (&str, Type)| Some((name.to_owned(), smallest(&field, declarations, depth)?));
                    let fields = fields.into_iter().map(value).collect::<Option<Vec<_>>>()?;
                    Some(Expr::new(ty.clone(), Kind::Record(fields)))
                }
                Made::Cases(cases) => cases
                    .iter()
                    .filter(|(_, fields)| !fields.contains(ty))
                    .filter_map(|(name, fields)| match all(fields)?.as_slice() {
                        [] => Some(Expr::name(ty.clone(), *name)),
                        [field] => Some(Expr::apply(ty.clone(), name, vec![field.clone()])),
                        several => {
                            let tuple = Expr::new(Type::Tuple(fields.clone()), Kind::Tuple(several.to_vec()));
                            Some(Expr::apply(ty.clone(), name, vec![tuple]))
                        }
                    })
                    .min_by_key(|expr| format!("{expr:?}").len()),
                Made::Other => None,
            };
        }
        Type::Variable(_) => return None,
    };
    Some(Expr::constant(ty.clone(), text))
}
