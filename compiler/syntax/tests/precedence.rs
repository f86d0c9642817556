//! The table of operators: each expression next to itself with all parentheses written.

#![allow(clippy::wildcard_enum_match_arm, reason = "a tree of another kind fails the test")]

use clef_base::SourceMap;
use clef_syntax::{
    ast::{Ast, DeclarationKind, ExprId, ExprKind, Literal},
    parse,
};

/// The only expression of a source, with parentheses around everything that is not atomic.
fn grouped(source: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", source);
    let (ast, diagnostics) = parse(&sources, file);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:#?}");
    match &ast.declarations[..] {
        [declaration] => match declaration.kind {
            DeclarationKind::Effect(expr) => group(&ast, expr),
            _ => panic!("{source} is not an expression"),
        },
        declarations => panic!("{source} is {} declarations", declarations.len()),
    }
}

fn group(ast: &Ast, expr: ExprId) -> String {
    let of = |expr: &ExprId| group(ast, *expr);
    match &ast.exprs[expr].kind {
        ExprKind::Name(path) => path.segments.iter().map(|name| name.symbol.as_str()).collect::<Vec<_>>().join("."),
        ExprKind::Literal(Literal::Integer { value, .. }) => value.to_string(),
        ExprKind::Literal(Literal::Unit) => "()".to_owned(),
        ExprKind::Apply { function, arguments } => {
            format!("({} {})", of(function), arguments.iter().map(of).collect::<Vec<_>>().join(" "))
        }
        ExprKind::Binary { operator, left, right } => format!("({} {} {})", of(left), operator.symbol, of(right)),
        ExprKind::Prefix { operator, operand } => format!("({}{})", operator.symbol, of(operand)),
        ExprKind::Field { target, name } => format!("({}.{})", of(target), name.symbol),
        ExprKind::Index { target, index } => format!("({}[{}])", of(target), of(index)),
        ExprKind::Assign { target, value } => format!("({} <- {})", of(target), of(value)),
        ExprKind::Tuple(parts) => format!("({})", parts.iter().map(of).collect::<Vec<_>>().join(", ")),
        ExprKind::TypeApply { function, arguments } => format!("({}<{}>)", of(function), arguments.len()),
        ExprKind::Lambda { body, .. } => format!("(fun {})", of(body)),
        ExprKind::If { condition, then, otherwise } => {
            let otherwise = otherwise.as_ref().map_or(String::new(), |otherwise| format!(" else {}", of(otherwise)));
            format!("(if {} then {}{otherwise})", of(condition), of(then))
        }
        ExprKind::Lazy(value) => format!("(lazy {})", of(value)),
        ExprKind::Annotated { expr, .. } => format!("({} : _)", of(expr)),
        ExprKind::Unsupported(what) => format!("{what:?}"),
        other => panic!("not in the table: {other:?}"),
    }
}

#[test]
fn operators_bind_by_their_first_characters() {
    const TABLE: &[(&str, &str)] = &[
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b * c % d", "(((a / b) * c) % d)"),
        ("a ** b ** c", "(a ** (b ** c))"),
        ("-a ** b", "((-a) ** b)"),
        ("a * b ** c", "(a * (b ** c))"),
        ("a :: b :: c", "(a :: (b :: c))"),
        ("a + b :: c", "((a + b) :: c)"),
        ("a @ b @ c", "(a @ (b @ c))"),
        ("a :: b @ c", "((a :: b) @ c)"),
        ("a @ b :: c", "(a @ (b :: c))"),
        ("a ^ b ^ c", "(a ^ (b ^ c))"),
        ("a = b :: c", "(a = (b :: c))"),
        ("a < b = c > d", "(((a < b) = c) > d)"),
        ("a <> b && c >= d || e", "(((a <> b) && (c >= d)) || e)"),
        ("a || b && c", "(a || (b && c))"),
        ("a &&& b = c", "((a &&& b) = c)"),
        ("a ||| b &&& c ^^^ d", "(((a ||| b) &&& c) ^^^ d)"),
        ("a <<< b + c", "(a <<< (b + c))"),
        ("a |> f |> g", "((a |> f) |> g)"),
        ("f <| g <| a", "((f <| g) <| a)"),
        ("f >> g >> h", "((f >> g) >> h)"),
        ("a + b |> f", "((a + b) |> f)"),
        ("a |> f = b", "((a |> f) = b)"),
        ("a ||> f", "(a ||> f)"),
        ("a := b := c", "(a := (b := c))"),
        ("a := b, c", "(a := (b, c))"),
        ("a <- b || c", "(a <- (b || c))"),
        ("a, b || c, d", "(a, (b || c), d)"),
        ("a +! b *! c", "(a +! (b *! c))"),
        ("a <+> b <*> c", "((a <+> b) <*> c)"),
        ("a |? b + c", "(a |? (b + c))"),
        ("a != b + c", "(a != (b + c))"),
        ("a **! b * c", "((a **! b) * c)"),
        ("a :> b", "TypeTest"),
    ];
    for (source, expected) in TABLE {
        assert_eq!(grouped(source), *expected, "{source}");
    }
}

#[test]
fn white_space_decides_about_prefixes() {
    const TABLE: &[(&str, &str)] = &[
        ("f -x", "(f (-x))"),
        ("f - x", "(f - x)"),
        ("f-x", "(f - x)"),
        ("f -x y", "(f (-x) y)"),
        ("- f x", "(-(f x))"),
        ("-f x", "(-(f x))"),
        ("- x * y", "((-x) * y)"),
        ("a - -b", "(a - (-b))"),
        ("a + -b * c", "(a + ((-b) * c))"),
        ("!a + b", "((!a) + b)"),
        ("!a.b", "(!a.b)"),
        ("f !a", "(f (!a))"),
        ("!f a", "((!f) a)"),
        ("~~~a &&& b", "((~~~a) &&& b)"),
        ("f ~~~a b", "(f (~~~a) b)"),
        ("!(!a)", "(!(!a))"),
        ("%x", "(%x)"),
        ("f &x", "(f AddressOf)"),
    ];
    for (source, expected) in TABLE {
        assert_eq!(grouped(source), *expected, "{source}");
    }
}

#[test]
fn application_is_tighter_than_operators() {
    const TABLE: &[(&str, &str)] = &[
        ("f a b + g c", "((f a b) + (g c))"),
        ("f g(a) b", "(f (g a) b)"),
        ("f (g a) b", "(f (g a) b)"),
        ("f(a).b", "((f a).b)"),
        ("f (a).b", "(f (a.b))"),
        ("f(a)(b)", "(f a b)"),
        ("f a.b", "(f a.b)"),
        ("f a[b]", "(f (a[b]))"),
        ("f a.[b].c", "(f ((a[b]).c))"),
        ("a.b.[c].d e", "(((a.b[c]).d) e)"),
        ("a[b][c]", "((a[b])[c])"),
        ("f<int> a", "((f<1>) a)"),
        ("f<int, list<int>>(a)", "((f<2>) a)"),
        ("f<int>() + g", "(((f<1>) ()) + g)"),
        ("a < b", "(a < b)"),
        ("a<b", "(a < b)"),
        ("a<b && c>d", "((a < b) && (c > d))"),
        ("a<b, c>d", "((a < b), (c > d))"),
        ("5<m> * 2<s>", "((5<1>) * (2<1>))"),
        ("5<m>*2<s>", "((5<1>) * (2<1>))"),
        ("lazy f a + b", "((lazy (f a)) + b)"),
        ("(fun x -> x) a", "((fun x) a)"),
        ("a + fun x -> x + b", "(a + (fun (x + b)))"),
        ("if a then b else c + d", "(if a then b else (c + d))"),
        ("a + if b then c else d", "(a + (if b then c else d))"),
        ("(a + b : int)", "((a + b) : _)"),
        ("f ()", "(f ())"),
    ];
    for (source, expected) in TABLE {
        assert_eq!(grouped(source), *expected, "{source}");
    }
}
