//! Members of built-in types: `text.Length`, `text.Trim()`, `option.IsSome`.
//!
//! In: a value of known type, and the name after the point. Out: a call of the library function in the table, with the value
//! as last argument. The value is evaluated before the arguments. Record fields take precedence, and are not looked up
//! here.

use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Lambda, NodeId, NodeKind, VariableId};
use clef_scopes::{Entity, Entry, Meaning, builtin_facts};
use clef_syntax::{
    ast::{ExprId, ExprKind, Literal, Name},
    elsewhere,
};
use clef_types::{Primitive, TextFormat};

/// How a member is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `value.Name`.
    Property,
    /// `value.Name(a, b)`, with this number of arguments.
    Method(usize),
    /// `value.Name(a, b, …)`, with arguments that the function takes as an array.
    Several,
}

/// The implementation of a member.
#[derive(Clone, Copy, Debug)]
enum Function {
    /// A library function: its module and its name. It takes the arguments, then the value.
    Library(&'static str, &'static str),
    /// A primitive on the value alone.
    Primitive(Primitive),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The type's name; empty for a member of every type.
    receiver: &'static str,
    name: &'static str,
    form: Form,
    function: Function,
}

/// A member implemented by a library function.
const fn row(
    receiver: &'static str,
    name: &'static str,
    form: Form,
    module: &'static str,
    function: &'static str,
) -> Member {
    Member { receiver, name, form, function: Function::Library(module, function) }
}

/// A member implemented by a primitive.
const fn own(receiver: &'static str, name: &'static str, form: Form, primitive: Primitive) -> Member {
    Member { receiver, name, form, function: Function::Primitive(primitive) }
}

use Form::{Method, Property, Several};

/// All members. Among rows of one name, the number of arguments decides, then the type of the first argument.
const MEMBERS: &[Member] = &[
    own("", "ToString", Method(0), Primitive::Text(TextFormat::General)),
    own("ref", "Value", Property, Primitive::ReadReference),
    own("ref", "contents", Property, Primitive::ReadReference),
    row("string", "Length", Property, "String", "length"),
    row("string", "Contains", Method(1), "String", "includes"),
    row("string", "Contains", Method(1), "String", "memberContainsChar"),
    row("string", "EndsWith", Method(1), "String", "endsWith"),
    row("string", "IndexOf", Method(1), "String", "indexOf"),
    row("string", "IndexOf", Method(1), "String", "memberIndexOfChar"),
    row("string", "Insert", Method(2), "String", "insert"),
    row("string", "LastIndexOf", Method(1), "String", "lastIndexOf"),
    row("string", "PadLeft", Method(1), "String", "padLeft"),
    row("string", "PadLeft", Method(2), "String", "memberPadLeftWith"),
    row("string", "PadRight", Method(1), "String", "padRight"),
    row("string", "PadRight", Method(2), "String", "memberPadRightWith"),
    row("string", "Remove", Method(2), "String", "remove"),
    row("string", "Replace", Method(2), "String", "replace"),
    row("string", "Replace", Method(2), "String", "memberReplaceChar"),
    row("string", "Split", Method(1), "String", "memberSplitChar"),
    row("string", "Split", Method(1), "String", "memberSplit"),
    row("string", "Split", Method(1), "String", "memberSplitAny"),
    row("string", "Split", Several, "String", "memberSplitAny"),
    row("string", "StartsWith", Method(1), "String", "startsWith"),
    row("string", "Substring", Method(1), "String", "memberSubstringFrom"),
    row("string", "Substring", Method(2), "String", "substring"),
    row("string", "ToCharArray", Method(0), "String", "toArray"),
    row("string", "ToLower", Method(0), "String", "toLower"),
    row("string", "ToUpper", Method(0), "String", "toUpper"),
    row("string", "Trim", Method(0), "String", "trim"),
    row("string", "Trim", Method(1), "String", "memberTrimChar"),
    row("string", "Trim", Method(1), "String", "memberTrimAny"),
    row("string", "Trim", Several, "String", "memberTrimAny"),
    row("string", "TrimEnd", Method(0), "String", "trimEnd"),
    row("string", "TrimEnd", Method(1), "String", "memberTrimEndChar"),
    row("string", "TrimEnd", Method(1), "String", "memberTrimEndAny"),
    row("string", "TrimEnd", Several, "String", "memberTrimEndAny"),
    row("string", "TrimStart", Method(0), "String", "trimStart"),
    row("string", "TrimStart", Method(1), "String", "memberTrimStartChar"),
    row("string", "TrimStart", Method(1), "String", "memberTrimStartAny"),
    row("string", "TrimStart", Several, "String", "memberTrimStartAny"),
    row("option", "IsNone", Property, "Option", "isNone"),
    row("option", "IsSome", Property, "Option", "isSome"),
    row("option", "Value", Property, "Option", "get"),
    row("array", "Length", Property, "Array", "length"),
    row("list", "Head", Property, "List", "head"),
    row("list", "IsEmpty", Property, "List", "isEmpty"),
    row("list", "Item", Method(1), "List", "item"),
    row("list", "Length", Property, "List", "length"),
    row("list", "Tail", Property, "List", "tail"),
    row("Lazy", "Force", Method(0), "Lazy", "force"),
    row("Lazy", "IsValueCreated", Property, "Lazy", "isValueCreated"),
    row("Lazy", "Value", Property, "Lazy", "force"),
    row("KeyValuePair", "Key", Property, "Map", "keyOf"),
    row("KeyValuePair", "Value", Property, "Map", "valueOf"),
    row("Map", "Add", Method(2), "Map", "add"),
    row("Map", "ContainsKey", Method(1), "Map", "containsKey"),
    row("Map", "Count", Property, "Map", "count"),
    row("Map", "IsEmpty", Property, "Map", "isEmpty"),
    row("Map", "Keys", Property, "Map", "keys"),
    row("Map", "Remove", Method(1), "Map", "remove"),
    row("Map", "TryFind", Method(1), "Map", "tryFind"),
    row("Map", "Values", Property, "Map", "values"),
    row("Set", "Add", Method(1), "Set", "add"),
    row("Set", "Contains", Method(1), "Set", "contains"),
    row("Set", "Count", Property, "Set", "count"),
    row("Set", "IsEmpty", Property, "Set", "isEmpty"),
    // `a.IsSubsetOf b` is `isSuperset b a`.
    row("Set", "IsProperSubsetOf", Method(1), "Set", "isProperSuperset"),
    row("Set", "IsProperSupersetOf", Method(1), "Set", "isProperSubset"),
    row("Set", "IsSubsetOf", Method(1), "Set", "isSuperset"),
    row("Set", "IsSupersetOf", Method(1), "Set", "isSubset"),
    row("Set", "MaximumElement", Property, "Set", "maxElement"),
    row("Set", "MinimumElement", Property, "Set", "minElement"),
    row("Set", "Remove", Method(1), "Set", "remove"),
];

/// An argument of a member, checked or not.
#[derive(Clone, Copy)]
enum Argument {
    Expression(ExprId),
    Node(NodeId),
}

impl Checker<'_> {
    /// The name by which the table knows a type.
    pub(crate) fn receiver(&mut self, ty: &Ty) -> Option<&'static str> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::String, _) => Some("string"),
            Ty::Constructor(TypeConstructor::Char, _) => Some("char"),
            Ty::Constructor(TypeConstructor::Array, _) => Some("array"),
            Ty::Constructor(TypeConstructor::Reference, _) => Some("ref"),
            Ty::Constructor(TypeConstructor::Declared(declared), _)
                if declared.into_raw().into_u32() < self.declared.library_types =>
            {
                Some(self.graph.psg.declared_types[declared].name.as_str())
            }
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    /// The rows of the table for a known type; a row whose library function is missing does not count.
    fn members_of(&mut self, ty: &Ty) -> Vec<Member> {
        if let Ty::Variable(_) = self.inference.shallow(ty) {
            return Vec::new();
        }
        let receiver = self.receiver(ty).unwrap_or_default();
        let has = |member: &&Member| match member.function {
            Function::Primitive(_) => true,
            Function::Library(module, function) => self.library_value(module, function).is_some(),
        };
        MEMBERS.iter().filter(|member| ["", receiver].contains(&member.receiver)).filter(has).copied().collect()
    }

    fn members(&mut self, ty: &Ty, name: Symbol) -> Vec<Member> {
        let mut members = self.members_of(ty);
        members.retain(|member| member.name == name.as_str());
        members
    }

    /// `target.name`, not applied: a property, or a method as a function. `None` if the type has no such member.
    pub(crate) fn member(&mut self, target: NodeId, name: Name, span: Span) -> Option<NodeId> {
        let ty = self.graph.type_of(target);
        let member = self.members(&ty, name.symbol).first().copied()?;
        Some(match member.form {
            Property => self.call_member(target, member, name, &[], span),
            Method(0 | 1) => self.method_value(target, member, name, span),
            Method(2..) | Several => {
                let count = if let Method(count) = member.form { count } else { 2 };
                let message = format!("`{}` is a method and needs arguments", name.symbol);
                let blanks = vec!["…"; count].join(", ");
                let error = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message);
                self.report(error.help(format!("write `.{}({blanks})`", name.symbol)));
                self.graph.error_node(span)
            }
        })
    }

    /// `target.name argument …`, if the type has such a method.
    pub(crate) fn method_call(
        &mut self,
        target: NodeId,
        name: Name,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<NodeId> {
        let ty = self.graph.type_of(target);
        let (&argument, rest) = arguments.split_first()?;
        if name.symbol.as_str() == "ToString"
            && rest.is_empty()
            && let Some(text) = self.value_in_format(target, argument)
        {
            return Some(text);
        }
        let candidates: Vec<Member> =
            self.members(&ty, name.symbol).into_iter().filter(|member| member.form != Property).collect();
        if candidates.is_empty() {
            return None;
        }
        let whole = self.graph.span_of(target).to(self.input.ast.exprs[argument].span);
        let node = self.choose_method(target, name, &candidates, argument, whole);
        Some(if rest.is_empty() { node } else { self.apply(node, rest, span) })
    }

    fn choose_method(
        &mut self,
        target: NodeId,
        name: Name,
        candidates: &[Member],
        argument: ExprId,
        span: Span,
    ) -> NodeId {
        let kind = &self.input.ast.exprs[argument].kind;
        let as_tuple = candidates.iter().any(|member| matches!(member.form, Method(2..)));
        let given: Vec<ExprId> = if let ExprKind::Literal(Literal::Unit) = kind {
            Vec::new()
        } else if let (ExprKind::Tuple(parts), true) = (kind, as_tuple) {
            parts.clone()
        } else {
            vec![argument]
        };
        if let (ExprKind::Tuple(parts), Some(several)) = (kind, candidates.iter().find(|member| member.form == Several))
        {
            return self.call_with_several(target, *several, name, parts, span);
        }
        let fitting: Vec<Member> =
            candidates.iter().filter(|member| member.form == Method(given.len())).copied().collect();
        match fitting.as_slice() {
            [] => {
                self.report_method_arguments(name, candidates, &given);
                for part in given {
                    self.infer(part);
                }
                self.graph.error_node(span)
            }
            [only] => {
                let given: Vec<Argument> = given.into_iter().map(Argument::Expression).collect();
                self.call_member(target, *only, name, &given, span)
            }
            several => {
                let nodes: Vec<NodeId> = given.into_iter().map(|part| self.infer(part)).collect();
                let chosen = several.iter().find(|member| self.takes(**member, nodes[0])).unwrap_or(&several[0]);
                let given: Vec<Argument> = nodes.into_iter().map(Argument::Node).collect();
                self.call_member(target, *chosen, name, &given, span)
            }
        }
    }

    /// A call of a member whose function takes its arguments as an array.
    fn call_with_several(
        &mut self,
        target: NodeId,
        member: Member,
        name: Name,
        given: &[ExprId],
        span: Span,
    ) -> NodeId {
        self.record_member(member, name);
        let function = self.member_function(member, name.span);
        let ty = self.graph.type_of(function);
        let element = self.as_function(&ty).map(|(parameter, _)| self.inference.shallow(&parameter));
        let Some(Ty::Constructor(TypeConstructor::Array, parts)) = element else {
            clef_base::internal::bug("check", span, "the function of a variadic member does not take an array")
        };
        let mut elements = Vec::with_capacity(given.len());
        for (index, &part) in given.iter().enumerate() {
            let function = Some(name.symbol.as_str().into());
            let reason = Reason::Argument { function, number: index + 1, place: name.span, definition: None };
            elements.push(self.expr(part, &Expect { ty: parts[0].clone(), reason }));
        }
        let array = self.graph.node(NodeKind::Array(elements), Ty::of(TypeConstructor::Array, parts.clone()), span);
        self.call_member(target, member, name, &[Argument::Node(array)], span)
    }

    /// Whether the first parameter of a member's function has the type of a value.
    fn takes(&mut self, member: Member, argument: NodeId) -> bool {
        let span = self.graph.span_of(argument);
        let function = self.member_function(member, span);
        let (ty, given) = (self.graph.type_of(function), self.graph.type_of(argument));
        let parameter = self.as_function(&ty).map(|(parameter, _)| self.inference.shallow(&parameter));
        match (parameter, self.inference.shallow(&given)) {
            (Some(Ty::Constructor(wanted, _)), Ty::Constructor(found, _)) => wanted == found,
            (Some(Ty::Constructor(..) | Ty::Variable(_)) | None, Ty::Constructor(..) | Ty::Variable(_)) => false,
        }
    }

    fn report_method_arguments(&mut self, name: Name, candidates: &[Member], given: &[ExprId]) {
        let wanted = match candidates[0].form {
            Property | Method(0) => "no argument".into(),
            Method(1) => "one argument".into(),
            Several => "arguments".into(),
            Method(count) => format!("{count} arguments"),
        };
        let found = if given.len() == 1 { "one is given".into() } else { format!("{} are given", given.len()) };
        let message = format!("`{}` takes {wanted}, but {found}", name.symbol);
        self.report(Diagnostic::error(codes::TOO_MANY_ARGUMENTS, name.span, message));
    }

    /// Records the use of a member, for editors.
    fn record_member(&mut self, member: Member, name: Name) {
        if self.recording.on
            && let Some(entity) = self.entity_of(member)
        {
            self.recording.used(name.span, entity);
        }
    }

    fn entity_of(&self, member: Member) -> Option<Entity> {
        match member.function {
            Function::Primitive(_) => Some(Entity::Builtin(Symbol::new(member.name))),
            Function::Library(module, function) => {
                let entry = self.library_value(module, function)?;
                Some(Entity::of_value(Symbol::new(function), &entry.meaning))
            }
        }
    }

    /// The members of a type, for editors.
    pub(crate) fn member_entities(&mut self, ty: &Ty) -> Vec<(Symbol, Entity)> {
        let members = self.members_of(ty);
        let named = |member: Member| Some((Symbol::new(member.name), self.entity_of(member)?));
        members.into_iter().filter_map(named).collect()
    }

    /// The function of a member, at fresh types.
    fn member_function(&mut self, member: Member, span: Span) -> NodeId {
        match member.function {
            Function::Primitive(primitive) => {
                let ty = self.primitive_type(primitive, span);
                self.graph.node(NodeKind::Primitive(primitive), ty, span)
            }
            Function::Library(module, function) => self.library_function(module, function, span),
        }
    }

    /// A library function that the language itself calls, at fresh types; reported if there is no library.
    pub(crate) fn library_function(&mut self, module: &str, function: &str, span: Span) -> NodeId {
        if let Some(entry) = self.library_value(module, function) {
            return self.meaning(entry.meaning, span);
        }
        let message = format!("this requires `{module}.{function}`, which the library does not have");
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, message));
        self.graph.error_node(span)
    }

    /// The variable of a library function.
    pub(crate) fn library_variable(&self, module: &str, function: &str) -> Option<VariableId> {
        match self.library_value(module, function)?.meaning {
            Meaning::Variable(variable) => Some(variable),
            Meaning::Case(_) | Meaning::EnumValue(..) | Meaning::Intrinsic(_) | Meaning::Builtin(_) => None,
        }
    }

    /// A library function, regardless of what the program declares under that name.
    fn library_value(&self, module: &str, function: &str) -> Option<Entry<Meaning>> {
        let modules = self.names.all_modules(&[Symbol::new(module)]);
        let library = modules.into_iter().map(|module| &self.names.modules[module]).filter(|module| module.library);
        library.into_iter().find_map(|module| module.values.get(&Symbol::new(function))).cloned()
    }

    /// A call that evaluates the value, then the arguments.
    fn call_member(&mut self, target: NodeId, member: Member, name: Name, given: &[Argument], span: Span) -> NodeId {
        self.record_member(member, name);
        let function = self.member_function(member, name.span);
        let mut parameters = Vec::with_capacity(given.len() + 1);
        let mut ty = self.graph.type_of(function);
        for _ in 0..=given.len() {
            let Some((parameter, result)) = self.as_function(&ty) else {
                clef_base::internal::bug(
                    "check",
                    span,
                    "the function of a member must take the value as its last argument",
                )
            };
            parameters.push(parameter);
            ty = result;
        }
        let of_value = parameters[given.len()].clone();
        let target_type = self.graph.type_of(target);
        self.expect(self.graph.span_of(target), &Expect::anything(of_value), &target_type);
        let mut arguments = Vec::with_capacity(parameters.len());
        for (index, (given, parameter)) in given.iter().zip(parameters).enumerate() {
            let reason = Reason::Argument {
                function: Some(name.symbol.as_str().into()),
                number: index + 1,
                place: name.span,
                definition: None,
            };
            let expect = Expect { ty: parameter, reason };
            arguments.push(match *given {
                Argument::Expression(expression) => self.expr(expression, &expect),
                Argument::Node(node) => self.expected(node, &expect),
            });
        }
        let in_any_order = arguments.iter().all(|&argument| self.is_constant(argument));
        let (binding, target) = if in_any_order { (None, target) } else { self.named(target) };
        arguments.push(target);
        let call = self.make_call(function, arguments, span);
        self.under(binding, call)
    }

    /// A method as a function of its argument; the value is evaluated here.
    fn method_value(&mut self, target: NodeId, member: Member, name: Name, span: Span) -> NodeId {
        let (binding, target) = self.named(target);
        self.frames.enter();
        let ty = if member.form == Method(0) { Ty::unit() } else { self.inference.fresh() };
        let parameter = self.fresh_variable("argument", ty.clone(), span);
        let target = self.again(target);
        let given = match member.form {
            Method(0) => Vec::new(),
            Property | Method(_) | Several => vec![Argument::Node(self.use_variable(parameter, span))],
        };
        let body = self.call_member(target, member, name, &given, span);
        let captures = self.frames.leave();
        let ty = Ty::function(ty, self.graph.type_of(body));
        let lambda = Lambda { name: None, params: vec![parameter], body, captures, span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        let node = self.graph.node(NodeKind::Lambda(lambda), ty, span);
        self.under(binding, node)
    }

    /// Reports that a value of a known type has no such member, with an alternative.
    pub(crate) fn report_no_member(&mut self, ty: &Ty, name: Name) {
        let shown = self.show(ty);
        let member = name.symbol;
        let message = format!("the type `{shown}` has no member `{member}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message);
        let names = self.members_of(ty).into_iter().map(|line| line.name);
        if let Some(near) = nearest_names(member.as_str(), names).into_iter().next() {
            self.report(diagnostic.fix(format!("did you mean `{near}`?"), name.span, near));
            return;
        }
        if let Some((_, instead)) = elsewhere::OF_OBJECTS.iter().find(|(name, _)| *name == member.as_str()) {
            self.report(diagnostic.help(*instead));
            return;
        }
        let function = self.companion_function(ty, member);
        let diagnostic = match function {
            Some(function) => diagnostic.help(format!("apply the function `{function}` to the value")),
            None => self.explain_option(diagnostic, ty),
        };
        self.report(diagnostic);
    }

    /// A function of the member's name in the companion module of a type.
    fn companion_function(&mut self, ty: &Ty, member: Symbol) -> Option<String> {
        let shown = match (self.receiver(ty), self.inference.shallow(ty)) {
            (Some(receiver), _) => {
                builtin_facts::MODULES.iter().find(|(name, _)| *name == receiver).map_or(receiver, |(_, module)| module)
            }
            (None, Ty::Constructor(TypeConstructor::Declared(declared), _)) => {
                self.graph.psg.declared_types[declared].name.as_str()
            }
            (None, Ty::Constructor(..) | Ty::Variable(_)) => return None,
        };
        let modules = self.names.find_modules(&[Symbol::new(shown)]);
        let mut names: Vec<&str> = (modules.iter().flat_map(|&module| &self.names.modules[module].values))
            .filter(|(_, entry)| self.names.is_visible(entry.visibility))
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        let same = names.iter().find(|name| name.eq_ignore_ascii_case(member.as_str())).map(|name| (*name).to_owned());
        let found = same.or_else(|| nearest_names(member.as_str(), names.into_iter()).into_iter().next());
        found.map(|name| format!("{shown}.{name}"))
    }

    /// The types that have a member, for a value of unknown type.
    pub(crate) fn types_with_member(name: Symbol) -> Vec<&'static str> {
        let mut types: Vec<&str> =
            MEMBERS.iter().filter(|line| line.name == name.as_str()).map(|line| line.receiver).collect();
        types.sort_unstable();
        types.dedup();
        types
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the library defines a function in a module.
    fn is_defined(module: &str, function: &str) -> bool {
        let header = format!("module {module} =");
        let text = clef_library::SOURCES.iter().find_map(|(_, text)| text.split_once(&header)).map(|(_, text)| text);
        text.is_some_and(|text| {
            let names = text.lines().filter_map(|line| line.strip_prefix("    let "));
            let mut names = names.map(|line| {
                line.split([' ', '<', ':']).find(|word| !["rec", "inline", "private", "internal"].contains(word))
            });
            names.any(|name| name == Some(function))
        })
    }

    #[test]
    fn the_library_has_the_function_of_every_member() {
        for member in MEMBERS {
            if let Function::Library(module, function) = member.function {
                assert!(is_defined(module, function), "{module}.{function}, for `{}`", member.name);
            }
        }
    }

    #[test]
    fn the_lines_of_one_name_stand_together() {
        for (index, member) in MEMBERS.iter().enumerate() {
            let first = MEMBERS.iter().position(|other| (other.receiver, other.name) == (member.receiver, member.name));
            let together = first.is_some_and(|first| {
                MEMBERS[first..=index]
                    .iter()
                    .all(|other| (other.receiver, other.name) == (member.receiver, member.name))
            });
            assert!(together, "the lines of `{}` must be adjacent", member.name);
        }
    }
}
