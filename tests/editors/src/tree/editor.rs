//! The outline of the tree that editors have.

use super::Outline;
use tree_sitter::{Language, Node, Parser, Tree};
use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_clef() -> *const ();
}

/// A part of a text that the grammar does not accept.
#[derive(Debug)]
pub struct Mistake {
    /// Its line, from one.
    pub line: usize,
    /// Its column, from one.
    pub column: usize,
}

/// The grammar.
pub fn language() -> Language {
    // SAFETY: the generated parser has this function, which returns a valid language.
    unsafe { LanguageFn::from_raw(tree_sitter_clef) }.into()
}

/// Parses a text.
pub fn tree(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the grammar has a version that this library reads");
    parser.parse(text, None).expect("parsing has no time limit")
}

/// The nodes that are errors, or that the parser inserted.
pub fn mistakes(tree: &Tree) -> Vec<Mistake> {
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.is_error() || node.is_missing() {
            let start = node.start_position();
            found.push(Mistake { line: start.row + 1, column: start.column + 1 });
        } else if node.has_error() {
            open.extend((0..node.child_count()).filter_map(|index| node.child(index as u32)));
        }
    }
    found
}

/// The outline of a tree without mistakes.
pub fn outline(tree: &Tree, text: &str) -> Outline {
    Outline::node("file", declarations(tree.root_node(), text))
}

fn leaf(kind: &'static str, node: Node<'_>) -> Outline {
    Outline::leaf(kind, node.start_byte(), node.end_byte())
}

/// The named children, without comments and directives.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let named = (0..node.named_child_count()).filter_map(|index| node.named_child(index as u32));
    named.filter(|child| !child.is_extra()).collect()
}

fn of_kind<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    children(node).into_iter().filter(|child| child.kind() == kind).collect()
}

fn path(node: Node<'_>) -> Outline {
    Outline::node("path", children(node).into_iter().map(|segment| leaf("name", segment)).collect())
}

/// The last name of a dotted one.
fn last_name(node: Node<'_>) -> Outline {
    children(node).pop().map_or_else(|| leaf("name", node), |last| leaf("name", last))
}

fn name_field(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("name").unwrap_or(node)
}

fn declarations(node: Node<'_>, text: &str) -> Vec<Outline> {
    children(node).into_iter().flat_map(|child| declaration(child, text)).collect()
}

fn declaration(node: Node<'_>, text: &str) -> Vec<Outline> {
    match node.kind() {
        "module_header" => {
            let mut parts = attributes(node, text);
            parts.push(Outline::node("module", vec![path(name_field(node))]));
            parts
        }
        "namespace_declaration" => {
            let mut parts = attributes(node, text);
            let name = name_field(node);
            let is_path = name.kind() == "path";
            let named = if is_path { path(name) } else { Outline::node("path", vec![leaf("name", name)]) };
            parts.push(Outline::node("namespace", vec![named]));
            parts
        }
        "open_declaration" => vec![Outline::node("open", vec![path(name_field(node))])],
        "type_declarations" => type_declarations(node, text),
        "module_declaration" => {
            let mut parts = attributes(node, text);
            parts.push(last_name(name_field(node)));
            parts.extend(of_kind(node, "block").into_iter().flat_map(|block| declarations(block, text)));
            vec![Outline::node("inner module", parts)]
        }
        "module_alias" => {
            let module = node.child_by_field_name("module").unwrap_or(node);
            vec![Outline::node("alias", vec![last_name(name_field(node)), path(module)])]
        }
        _ => vec![expr(node, text)],
    }
}

fn attributes(node: Node<'_>, text: &str) -> Vec<Outline> {
    of_kind(node, "attributes").into_iter().flat_map(|list| attributes_of(list, text)).collect()
}

fn attributes_of(list: Node<'_>, text: &str) -> Vec<Outline> {
    let lists = children(list).into_iter();
    let each = lists.flat_map(children).map(|attribute| {
        let mut parts = vec![path(name_field(attribute))];
        parts.extend(attribute.child_by_field_name("argument").map(|argument| expr(argument, text)));
        Outline::node("attribute", parts)
    });
    each.collect()
}

fn type_declarations(node: Node<'_>, text: &str) -> Vec<Outline> {
    let mut outer = attributes(node, text);
    let each = of_kind(node, "type_declaration").into_iter().map(|declared| {
        let mut parts = std::mem::take(&mut outer);
        parts.extend(attributes(declared, text));
        let mut head = vec![last_name(name_field(declared))];
        head.extend(of_kind(declared, "type_variable").into_iter().map(|variable| leaf("variable", variable)));
        for list in of_kind(declared, "type_parameters") {
            head.extend(of_kind(list, "type_variable").into_iter().map(|variable| leaf("variable", variable)));
        }
        head.sort_by_key(|part| part.place);
        parts.extend(head);
        if let Some(body) = declared.child_by_field_name("body") {
            parts.extend(type_body(body, text));
        }
        Outline::node("type", parts)
    });
    each.collect()
}

fn type_body(body: Node<'_>, text: &str) -> Vec<Outline> {
    match body.kind() {
        "record_type" => children(body)
            .into_iter()
            .map(|field| {
                let parts = children(field);
                Outline::node("field", vec![leaf("name", name_field(field)), types(parts[parts.len() - 1])])
            })
            .collect(),
        "cases" => children(body).into_iter().map(|case| type_case(case, text)).collect(),
        _ => vec![types(body)],
    }
}

fn type_case(case: Node<'_>, text: &str) -> Outline {
    let mut parts = vec![leaf("name", name_field(case))];
    parts.extend(case.child_by_field_name("value").map(|value| expr(value, text)));
    for field in of_kind(case, "case_field") {
        parts.extend(field.child_by_field_name("name").map(|name| leaf("name", name)));
        parts.extend(field.child_by_field_name("type").map(types));
    }
    Outline::node("case", parts)
}

/// The names and variables of a type.
fn types(node: Node<'_>) -> Outline {
    let mut parts = Vec::new();
    names_of_type(node, &mut parts);
    Outline::node("of type", parts)
}

fn names_of_type(node: Node<'_>, into: &mut Vec<Outline>) {
    match node.kind() {
        "identifier" => into.push(leaf("name", node)),
        "type_variable" => into.push(leaf("variable", node)),
        "wildcard" => into.push(leaf("wildcard", node)),
        _ => children(node).into_iter().for_each(|child| names_of_type(child, into)),
    }
}

fn let_group(node: Node<'_>, text: &str) -> Outline {
    let mut bindings = Vec::new();
    let mut before = Vec::new();
    for child in children(node) {
        match child.kind() {
            "attributes" => before.extend(attributes_of(child, text)),
            "binding" => bindings.push(binding(child, std::mem::take(&mut before), text)),
            _ => {}
        }
    }
    Outline::node("let", bindings)
}

fn binding(node: Node<'_>, mut parts: Vec<Outline>, text: &str) -> Outline {
    let name = node.child_by_field_name("name");
    let type_parameters = node.child_by_field_name("type_parameters");
    let parameters = node.child_by_field_name("parameters");
    if let Some(pattern_node) = node.child_by_field_name("pattern") {
        parts.push(pattern(pattern_node, text));
    } else if let Some(name) = name {
        let operator = of_kind(name, "operator").pop().unwrap_or(name);
        let mut head = vec![leaf("name", operator)];
        if let Some(list) = type_parameters {
            head.extend(of_kind(list, "type_variable").into_iter().map(|variable| leaf("variable", variable)));
        }
        if let Some(list) = parameters {
            head.extend(patterns(list, text));
        }
        let is_function = type_parameters.is_some() || parameters.is_some();
        parts.push(Outline::node(if is_function { "function" } else { "path" }, head));
    }
    parts.extend(node.child_by_field_name("type").map(types));
    parts.extend(node.child_by_field_name("body").map(|body| expr(body, text)));
    Outline::node("binding", parts)
}

fn exprs(node: Node<'_>, text: &str) -> Vec<Outline> {
    children(node).into_iter().map(|child| expr(child, text)).collect()
}

fn arms(node: Node<'_>, text: &str) -> Vec<Outline> {
    let lists = of_kind(node, "arms").into_iter();
    lists.flat_map(children).map(|arm| Outline::node("arm", arm_parts(arm, text))).collect()
}

fn arm_parts(arm: Node<'_>, text: &str) -> Vec<Outline> {
    let parts = children(arm).into_iter().enumerate();
    parts.map(|(index, part)| if index == 0 { pattern(part, text) } else { expr(part, text) }).collect()
}

/// A function with its arguments; `f(x) y` and `f x y` are the same.
fn application(node: Node<'_>, text: &str) -> Outline {
    let parts = children(node);
    let function = expr(parts[0], text);
    let mut arguments: Vec<Outline> = Vec::new();
    let rest = &parts[1..];
    if &text[parts[0].byte_range()] == "seq" && rest.first().is_some_and(|first| first.kind() == "sequence") {
        let sequence = Outline::brackets("sequence", exprs(rest[0], text));
        arguments.extend(rest[1..].iter().map(|argument| expr(*argument, text)));
        return match arguments.is_empty() {
            true => sequence,
            false => Outline::node("apply", [vec![sequence], arguments].concat()),
        };
    }
    arguments.extend(rest.iter().map(|argument| expr(*argument, text)));
    let is_open = matches!(parts[0].kind(), "call_expression") && function.kind == "apply";
    let mut all = if is_open { function.parts } else { vec![function] };
    all.extend(arguments);
    Outline::node("apply", all)
}

fn conditional(node: Node<'_>, text: &str) -> Outline {
    let mut branches: Vec<Vec<Outline>> = vec![Vec::new()];
    let mut otherwise = None;
    for child in children(node) {
        match child.kind() {
            "elif_clause" => branches.push(exprs(child, text)),
            "else_clause" => otherwise = Some(Outline::block(exprs(child, text))),
            _ => branches[0].push(expr(child, text)),
        }
    }
    for mut branch in branches.into_iter().rev() {
        branch.extend(otherwise);
        otherwise = Some(Outline::node("if", branch));
    }
    otherwise.unwrap_or_else(|| leaf("if", node))
}

fn for_loop(node: Node<'_>, text: &str) -> Outline {
    let mut parts = Vec::new();
    let variable = node.child_by_field_name("variable");
    for (index, child) in children(node).into_iter().enumerate() {
        let is_element = node.child_by_field_name("element") == Some(child);
        parts.push(match index {
            0 if variable.is_some() => leaf("name", child),
            0 => pattern(child, text),
            _ if is_element => Outline::node("yield", vec![expr(child, text)]),
            _ => expr(child, text),
        });
    }
    Outline::node(if variable.is_some() { "for range" } else { "for in" }, parts)
}

fn index(node: Node<'_>, text: &str) -> Outline {
    let parts = children(node);
    let mut limits = vec![expr(parts[0], text)];
    let content = parts[1];
    match content.kind() {
        "slice" => limits.extend(exprs(content, text)),
        "range" => limits.extend(exprs(content, text)),
        _ => {
            limits.push(expr(content, text));
            return Outline::node("index", limits);
        }
    }
    Outline::node("slice", limits)
}

fn let_in(node: Node<'_>, text: &str) -> Outline {
    let mut statements = Vec::new();
    for (position, child) in children(node).into_iter().enumerate() {
        let inner = if position == 0 { let_group(child, text) } else { expr(child, text) };
        match child.kind() {
            "let_expression" => statements.extend(inner.parts),
            _ => statements.push(inner),
        }
    }
    Outline::node("block", statements)
}

fn expr(node: Node<'_>, text: &str) -> Outline {
    let kind = match node.kind() {
        "path" => return path(node),
        "integer" | "float" | "char" | "string" | "boolean" | "unit" => return leaf("literal", node),
        "literal_pattern" => return literal(node),
        "operator" => return leaf("operator", node),
        "operator_name" => return leaf("operator", children(node)[0]),
        "let_declaration" => return let_group(node, text),
        "let_expression" => return let_in(node, text),
        "block" | "parenthesized" | "do_expression" | "begin_end" | "interpolation" => {
            let content = children(node).into_iter().filter(|child| child.kind() != "format");
            return Outline::block(content.map(|child| expr(child, text)).collect());
        }
        "application" | "call_expression" => return application(node, text),
        "if_expression" => return conditional(node, text),
        "for_expression" => return for_loop(node, text),
        "index_expression" => return index(node, text),
        "list" => return Outline::brackets("list", exprs(node, text)),
        "sequence" => return Outline::brackets("sequence", exprs(node, text)),
        "array" => return Outline::brackets("array", exprs(node, text)),
        "match_expression" => {
            let mut parts = vec![expr(children(node)[0], text)];
            parts.extend(arms(node, text));
            return Outline::node("match", parts);
        }
        "function_expression" => return Outline::node("function of arms", arms(node, text)),
        "lambda" => {
            let parts = children(node);
            let mut all = patterns(parts[0], text);
            all.extend(parts[1..].iter().map(|part| expr(*part, text)));
            return Outline::node("lambda", all);
        }
        "interpolated_string" => {
            let holes = of_kind(node, "interpolation").into_iter();
            return Outline::node("interpolated", holes.map(|hole| expr(hole, text)).collect());
        }
        "typed_expression" => {
            return Outline::node("annotated", vec![expr(children(node)[0], text), types(children(node)[1])]);
        }
        "type_application" => {
            let parts = children(node);
            let mut all = vec![expr(parts[0], text)];
            all.extend(children(parts[1]).into_iter().map(types));
            return Outline::node("apply to types", all);
        }
        "field_expression" => {
            let parts = children(node);
            return Outline::node("field of", vec![expr(parts[0], text), leaf("name", parts[1])]);
        }
        "field_initializer" => {
            let parts = children(node);
            return Outline::node("field", vec![path(parts[0]), expr(parts[1], text)]);
        }
        "struct_tuple" => {
            let inner = Outline::block(exprs(node, text));
            return Outline::node("struct tuple", inner.parts);
        }
        "assignment" => {
            let operator = node.child_by_field_name("operator");
            match operator.filter(|operator| operator.kind() == ":=") {
                Some(operator) => {
                    let mut parts = exprs(node, text);
                    parts.insert(1, leaf("operator", operator));
                    return Outline::node("binary", parts);
                }
                None => "assign",
            }
        }
        "record" => match node.child_by_field_name("base") {
            Some(_) => "record copy",
            None => "record",
        },
        "yield_expression" => match node.child(0).is_some_and(|word| word.kind() == "yield!") {
            true => "yield!",
            false => "yield",
        },
        "binary_expression" => "binary",
        "prefix_expression" => "prefix",
        "while_expression" => "while",
        "tuple" => "tuple",
        "range" => "range",
        "lazy_expression" => "lazy",
        "assert_expression" => "assert",
        _ => "?",
    };
    Outline::node(kind, exprs(node, text))
}

/// A literal in the place of an expression: the value of a case of an enumeration.
fn literal(node: Node<'_>) -> Outline {
    let number = children(node)[0];
    match node.child(0).filter(|first| !first.is_named()) {
        Some(minus) => Outline::node("prefix", vec![leaf("operator", minus), leaf("literal", number)]),
        None => leaf("literal", node),
    }
}

fn patterns(node: Node<'_>, text: &str) -> Vec<Outline> {
    children(node).into_iter().filter(|child| child.kind() != "attributes").map(|child| pattern(child, text)).collect()
}

fn pattern(node: Node<'_>, text: &str) -> Outline {
    let kind = match node.kind() {
        "path" => return path(node),
        "wildcard" => return leaf("wildcard", node),
        "literal_pattern" | "unit" => return leaf("literal", node),
        "parenthesized_pattern" => {
            let mut parts = patterns(node, text);
            return parts.pop().unwrap_or_else(|| leaf("?", node));
        }
        "struct_pattern" => {
            let inner = patterns(node, text).into_iter().flat_map(|tuple| tuple.parts).collect();
            return Outline::node("struct tuple", inner);
        }
        "typed_pattern" => {
            let parts = children(node);
            return Outline::node("annotated", vec![pattern(parts[0], text), types(parts[1])]);
        }
        "as_pattern" => {
            let parts = children(node);
            return Outline::node("as", vec![pattern(parts[0], text), leaf("name", parts[1])]);
        }
        "field_pattern" => {
            let parts = children(node);
            return Outline::node("field", vec![path(parts[0]), pattern(parts[1], text)]);
        }
        "named_field" => {
            let parts = children(node);
            return Outline::node("field", vec![leaf("name", parts[0]), pattern(parts[1], text)]);
        }
        "tuple_pattern" => {
            let parts = children(node).into_iter().flat_map(|part| match part.kind() {
                "tuple_pattern" => pattern(part, text).parts,
                _ => vec![pattern(part, text)],
            });
            return Outline::node("tuple", parts.collect());
        }
        "or_pattern" => "or",
        "and_pattern" => "and",
        "cons_pattern" => "cons",
        "case_pattern" => "case",
        "named_fields" => "fields",
        "list_pattern" => "list",
        "array_pattern" => "array",
        "record_pattern" => "record",
        _ => "?",
    };
    Outline::node(kind, patterns(node, text))
}
