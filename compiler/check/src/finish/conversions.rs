//! Lists, arrays, strings, maps and sets where a sequence is expected.
//!
//! As in F#, an argument for a parameter of type `seq<'t>` may be any collection of `'t`, and so may any expression with
//! that expected type. The expected type is then a type variable that must become a collection of `'t`
//! ([`Knowledge::Open`]), so that the element type is known before the type of the collection. The argument is wrapped in
//! a conversion node, which is resolved when all types are known. A function with such a parameter that is used as a value
//! becomes a lambda, whose parameter may be any collection.
//!
//! [`Knowledge::Open`]: super::ty::Knowledge::Open

use crate::{checker::Checker, names::library::LibraryFunction, state::Expect};
use clef_base::{Span, Symbol};
use clef_infer::{Collections, Ty, TypeConstructor};
use clef_psg::{Lambda, NodeId, NodeKind};
use clef_scopes::TypeMeaning;
use clef_syntax::ast::{ExprId, ExprKind};

impl Checker<'_> {
    /// Finds the collection types that the library has declared so far.
    pub(crate) fn find_collections(&mut self) {
        let Some(case) = self.find_library_case("SeqValue", "Sequence") else { return };
        let sequence = self.graph.psg.cases[case].owner;
        let others = [("Prelude", "list"), ("MapType", "Map"), ("MapType", "KeyValuePair"), ("SetType", "Set")];
        let others = others.map(|(module, name)| {
            let modules = self.names.find_modules(&[Symbol::new(module)]);
            let library =
                modules.into_iter().map(|module| &self.names.modules[module]).find(|module| module.library)?;
            let TypeMeaning::Declared(declared) = library.types.get(&Symbol::new(name))?.meaning else { return None };
            Some(declared)
        });
        let [list, map, pair, set] = others;
        let map = map.zip(pair);
        self.inference.declare_collections(Collections { sequence, list, map, set });
    }

    /// The flexible form of an expected type: for a sequence, any collection of its elements; for a sequence of sequences, any
    /// collection of any collections.
    pub(crate) fn flexible(&mut self, wanted: &Ty) -> Ty {
        let Some(element) = self.inference.sequence_element(wanted) else { return wanted.clone() };
        let element = match self.inference.sequence_element(&element) {
            Some(inner) => self.inference.fresh_collection(inner),
            None => element,
        };
        self.inference.fresh_collection(element)
    }

    /// The flexible form of an expectation; an expression whose branches are checked separately passes the expectation on.
    pub(crate) fn flexible_expectation(&mut self, id: ExprId, expect: &Expect) -> Expect {
        let passes_on = matches!(
            self.input.ast.exprs[id].kind,
            ExprKind::Block(_) | ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Error
        );
        // The elements are each checked against the element type.
        let is_written =
            matches!(self.input.ast.exprs[id].kind, ExprKind::Collection { .. } | ExprKind::Comprehension { .. });
        let ty = match self.inference.sequence_element(&expect.ty) {
            Some(element) if is_written => self.inference.fresh_collection(element),
            Some(_) if !passes_on => self.flexible(&expect.ty),
            Some(_) | None => expect.ty.clone(),
        };
        Expect { ty, reason: expect.reason.clone() }
    }

    /// A value that fits an expected type: a collection is converted to a sequence.
    pub(crate) fn converted(&mut self, value: NodeId, wanted: &Ty) -> NodeId {
        let Some(element) = self.inference.sequence_element(wanted) else { return value };
        let ty = self.graph.type_of(value);
        let is_sequence = match self.inference.sequence_element(&ty) {
            Some(given) => {
                self.inference.sequence_element(&element).is_none() || self.inference.sequence_element(&given).is_some()
            }
            None => matches!(self.inference.shallow(&ty), Ty::Constructor(TypeConstructor::Error, _)),
        };
        if is_sequence {
            return value;
        }
        let span = self.graph.span_of(value);
        let node = self.graph.node(NodeKind::Sequence(vec![value]), wanted.clone(), span);
        self.deferred.conversions.push((node, value));
        node
    }

    /// Arguments that fit the parameters of a function, converted.
    pub(crate) fn converted_arguments(&mut self, function: NodeId, values: Vec<NodeId>) -> Vec<NodeId> {
        let mut ty = self.graph.type_of(function);
        let mut converted = Vec::with_capacity(values.len());
        for value in values {
            match self.inference.shallow(&ty) {
                Ty::Constructor(TypeConstructor::Function, parts) => {
                    converted.push(self.converted(value, &parts[0]));
                    ty = parts[1].clone();
                }
                Ty::Constructor(..) | Ty::Variable(_) => converted.push(value),
            }
        }
        converted
    }

    /// Resolves each conversion. Collections that nothing else determines are sequences.
    pub(crate) fn settle_conversions(&mut self) {
        for (node, value) in std::mem::take(&mut self.deferred.conversions) {
            let (wanted, given, span) = (self.graph.type_of(node), self.graph.type_of(value), self.graph.span_of(node));
            let (mut sequence, mut ty) = (value, given.clone());
            if let Some(function) = self.sequence_maker(&given, span) {
                let function_type = self.graph.type_of(function);
                let Some((_, result)) = self.as_function(&function_type) else { continue };
                sequence = self.graph.node(NodeKind::Apply { function, arguments: vec![value] }, result.clone(), span);
                ty = result;
            }
            let elements = self.inference.sequence_element(&ty).zip(self.inference.sequence_element(&wanted));
            if let Some((element, element_wanted)) = elements
                && self.inference.sequence_element(&element_wanted).is_some()
                && let Some(each) = self.sequence_maker(&element, span)
            {
                let all = self.construct_function(LibraryFunction::SeqMap, span);
                let all_type = self.graph.type_of(all);
                let each_type = self.graph.type_of(each);
                let wanted_type = Ty::functions([each_type, ty].into_iter(), wanted.clone());
                if self.inference.unify(&all_type, &wanted_type).is_err() {
                    continue;
                }
                let kind = NodeKind::Apply { function: all, arguments: vec![each, sequence] };
                (sequence, ty) = (self.graph.node(kind, wanted.clone(), span), wanted.clone());
            }
            if sequence != value && self.inference.unify(&ty, &wanted).is_ok() {
                self.graph.psg.nodes[node].kind = self.graph.psg.nodes[sequence].kind.clone();
            }
        }
    }

    /// The function that converts a collection to a sequence; `None` if the type is a sequence already.
    fn sequence_maker(&mut self, given: &Ty, span: Span) -> Option<NodeId> {
        self.inference.settle_collection(given);
        let Collections { list, map, set, .. } = self.inference.collections()?;
        let function = match self.inference.shallow(given) {
            Ty::Constructor(TypeConstructor::Array, _) => LibraryFunction::SeqOfArray,
            Ty::Constructor(TypeConstructor::String, _) => LibraryFunction::SeqOfString,
            Ty::Constructor(TypeConstructor::Declared(declared), _) => match declared {
                declared if list == Some(declared) => LibraryFunction::SeqOfList,
                declared if map.is_some_and(|(map, _)| map == declared) => LibraryFunction::SeqOfMap,
                declared if set == Some(declared) => LibraryFunction::SeqOfSet,
                _ => return None,
            },
            Ty::Constructor(..) | Ty::Variable(_) => return None,
        };
        let function = self.construct_function(function, span);
        let ty = self.graph.type_of(function);
        let (parameter, _) = self.as_function(&ty)?;
        self.inference.unify(&parameter, given).is_ok().then_some(function)
    }

    /// A function to be applied or composed: its parameters stay as they are.
    pub(crate) fn infer_function(&mut self, id: ExprId) -> NodeId {
        let ast = self.input.ast;
        if let ExprKind::Name(path) = &ast.exprs[id].kind {
            return self.path(path);
        }
        match matches!(ast.exprs[id].kind, ExprKind::Apply { .. }) {
            true => self.application_towards(id, None),
            false => self.infer(id),
        }
    }

    /// A function or partial application as a value: if it takes sequences, a lambda that takes collections.
    pub(crate) fn function_value(&mut self, node: NodeId) -> NodeId {
        let kind = &self.graph.psg.nodes[node].kind;
        let (function, given) = if let NodeKind::Apply { function, arguments } = kind {
            (*function, arguments.clone())
        } else {
            (node, Vec::new())
        };
        let Some(arity) = self.variable_of(function).and_then(|variable| self.graph.psg.variables[variable].arity)
        else {
            return node;
        };
        let mut ty = self.graph.type_of(node);
        let mut wanted = Vec::new();
        for _ in given.len()..arity {
            let Ty::Constructor(TypeConstructor::Function, parts) = self.inference.shallow(&ty) else { return node };
            wanted.push(parts[0].clone());
            ty = parts[1].clone();
        }
        if !wanted.iter().any(|ty| self.inference.sequence_element(ty).is_some()) {
            return node;
        }
        let span = self.graph.span_of(node);
        let (names, atoms): (Vec<_>, Vec<_>) = given.into_iter().map(|argument| self.named(argument)).unzip();
        self.frames.enter();
        let function = self.again(function);
        let mut arguments: Vec<NodeId> = atoms.into_iter().map(|atom| self.again(atom)).collect();
        let (mut params, mut types) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let taken = self.flexible(&wanted);
            let parameter = self.fresh_variable("argument", taken.clone(), span);
            let argument = self.use_variable(parameter, span);
            arguments.push(self.converted(argument, &wanted));
            params.push(parameter);
            types.push(taken);
        }
        let body = self.make_call(function, arguments, span);
        let captures = self.frames.leave();
        let ty = Ty::functions(types.into_iter(), self.graph.type_of(body));
        let lambda = self.graph.psg.lambdas.alloc(Lambda { name: None, params, body, captures, span });
        let lambda = self.graph.node(NodeKind::Lambda(lambda), ty, span);
        names.into_iter().rev().fold(lambda, |body, name| self.under(name, body))
    }

    /// A function that returns collections, where one that returns sequences is expected: a lambda that converts the result.
    pub(crate) fn giving_sequences(&mut self, node: NodeId, wanted: &Ty) -> NodeId {
        let (mut wanted, mut given) = (self.inference.shallow(wanted), self.graph.type_of(node));
        let mut types = Vec::new();
        while let (Ty::Constructor(TypeConstructor::Function, outer), Ty::Constructor(TypeConstructor::Function, own)) =
            (&wanted, self.inference.shallow(&given))
        {
            types.push(own[0].clone());
            (wanted, given) = (self.inference.shallow(&outer[1]), own[1].clone());
        }
        let known = matches!(self.inference.shallow(&given), Ty::Constructor(constructor, _) if constructor != TypeConstructor::Error);
        let gives_other = known && self.inference.sequence_element(&given).is_none();
        if types.is_empty() || !gives_other || self.inference.sequence_element(&wanted).is_none() {
            return node;
        }
        let element = self.inference.fresh();
        let collection = self.inference.fresh_collection(element.clone());
        if self.inference.unify(&collection, &given).is_err() {
            return node;
        }
        let span = self.graph.span_of(node);
        let (name, atom) = self.named(node);
        self.frames.enter();
        let function = self.again(atom);
        let params: Vec<_> = types.iter().map(|ty| self.fresh_variable("argument", ty.clone(), span)).collect();
        let arguments = params.iter().map(|&parameter| self.use_variable(parameter, span)).collect();
        let call = self.make_call(function, arguments, span);
        let result = self.inference.sequence_of(element);
        let body = self.converted(call, &result);
        let captures = self.frames.leave();
        let ty = Ty::functions(types.into_iter(), result);
        let lambda = self.graph.psg.lambdas.alloc(Lambda { name: None, params, body, captures, span });
        let lambda = self.graph.node(NodeKind::Lambda(lambda), ty, span);
        self.under(name, lambda)
    }
}
