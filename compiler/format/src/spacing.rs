//! The white space between two tokens on a line.
//!
//! In: the pieces, and the tree, which tells infix operators from others. Out: for each piece, whether a space is
//! before it. Where F# reads `f(x)` and `f (x)`, or `a[i]` and `a [i]`, differently, the source text decides.

use crate::pieces::Piece;
use clef_base::HashSet;
use clef_syntax::{
    ast::{Ast, BindingHead, Declaration, DeclarationKind, ExprKind, LetGroup, Statement},
    token::{Keyword, Punctuation, TokenKind},
};

/// What the tree says about operators, by their byte offsets.
struct Roles {
    infix: HashSet<u32>,
    prefix: HashSet<u32>,
    /// Places after which the next colon is that of a result.
    results: HashSet<u32>,
    /// Where parameters of functions begin.
    parameters: Vec<u32>,
}

/// Whether a space is before each piece.
pub(crate) fn spaces(ast: &Ast, pieces: &[Piece<'_>]) -> Vec<bool> {
    let roles = roles(ast);
    let tight = tight_brackets(pieces);
    let mut result = false;
    let mut depth = 0usize;
    let mut spaces = Vec::with_capacity(pieces.len());
    for index in 0..pieces.len() {
        let piece = &pieces[index];
        if roles.results.contains(&piece.start) {
            (result, depth) = (true, 0);
        }
        depth += usize::from(piece.opens());
        if index == 0 {
            spaces.push(false);
            continue;
        }
        let is_result = result && depth == 0 && piece.is(Punctuation::Colon);
        result &= !(is_result || depth == 0 && piece.is(Punctuation::Equal));
        let wanted = is_result || space(&roles, &tight, pieces, index);
        spaces.push(wanted || piece.space_before && merges(&pieces[index - 1], piece));
        if piece.closer == index && is_closer(piece) {
            depth = depth.saturating_sub(1);
        }
    }
    for start in &roles.parameters {
        let mut index = pieces.partition_point(|piece| piece.start < *start);
        while index > 1 && pieces[index - 1].is(Punctuation::LeftParen) {
            index -= 1;
        }
        if index > 0 && pieces[index - 1].is(Punctuation::RightParen) {
            spaces[index] = true;
        }
    }
    spaces
}

fn roles(ast: &Ast) -> Roles {
    let mut roles = Roles {
        infix: HashSet::default(),
        prefix: HashSet::default(),
        results: HashSet::default(),
        parameters: Vec::new(),
    };
    for (_, expr) in ast.exprs.iter() {
        if let ExprKind::Binary { operator, .. } = &expr.kind {
            roles.infix.insert(operator.span.start);
        } else if let ExprKind::Prefix { operator, .. } = &expr.kind {
            roles.prefix.insert(operator.span.start);
        } else if let ExprKind::Block(statements) = &expr.kind {
            for statement in statements {
                if let Statement::Let(group) = statement {
                    results(ast, group, &mut roles);
                }
            }
        }
    }
    declarations(ast, &ast.declarations, &mut roles);
    roles
}

fn declarations(ast: &Ast, list: &[Declaration], roles: &mut Roles) {
    for declaration in list {
        if let DeclarationKind::Let(group) = &declaration.kind {
            results(ast, group, roles);
        } else if let DeclarationKind::Module { declarations: inner, .. } = &declaration.kind {
            declarations(ast, inner, roles);
        }
    }
}

fn results(ast: &Ast, group: &LetGroup, roles: &mut Roles) {
    for binding in &group.bindings {
        if let BindingHead::Function { name, parameters, .. } = &binding.head {
            if binding.annotation.is_some() && !parameters.is_empty() {
                roles.results.insert(name.span.start);
            }
            roles.parameters.extend(parameters.iter().map(|parameter| ast.patterns[*parameter].span.start));
        }
    }
}

/// Brackets that index: directly after what they index.
fn tight_brackets(pieces: &[Piece<'_>]) -> HashSet<usize> {
    let mut tight = HashSet::default();
    for (index, piece) in pieces.iter().enumerate().skip(1) {
        let previous = &pieces[index - 1];
        let indexes = previous.is(Punctuation::Dot) || !piece.space_before && is_operand(previous);
        if piece.is(Punctuation::LeftBracket) && indexes {
            tight.extend([index, piece.closer]);
        }
    }
    tight
}

fn is_closer(piece: &Piece<'_>) -> bool {
    matches!(piece.kind, TokenKind::Punctuation(sign) if sign.is_closer()) || piece.is_keyword(Keyword::End)
}

/// Whether a piece may end an expression or a type.
fn is_operand(piece: &Piece<'_>) -> bool {
    match &piece.kind {
        TokenKind::Keyword(keyword) => matches!(keyword, Keyword::True | Keyword::False | Keyword::Underscore),
        TokenKind::Punctuation(sign) => sign.is_closer(),
        TokenKind::Operator(operator) => operator.as_str().chars().all(|c| c == '>'),
        TokenKind::Identifier(_)
        | TokenKind::TypeVariable(_)
        | TokenKind::Integer { .. }
        | TokenKind::Float { .. }
        | TokenKind::Char(_)
        | TokenKind::String(_)
        | TokenKind::Bytes(_)
        | TokenKind::Interpolated(_) => true,
        TokenKind::Directive
        | TokenKind::Begin
        | TokenKind::Separator
        | TokenKind::End
        | TokenKind::Error
        | TokenKind::EndOfFile => false,
    }
}

/// Whether two tokens would be one without a space, or be read differently.
fn merges(left: &Piece<'_>, right: &Piece<'_>) -> bool {
    let is_sign = |c: char| "!%&*+-./<=>?@^|~:$".contains(c);
    left.text.chars().next_back().is_some_and(is_sign) && right.text.chars().next().is_some_and(is_sign)
}

fn space(roles: &Roles, tight: &HashSet<usize>, pieces: &[Piece<'_>], index: usize) -> bool {
    let (left, right) = (&pieces[index - 1], &pieces[index]);
    let operator_in_parentheses = (left.is(Punctuation::LeftParen) || right.is(Punctuation::RightParen))
        && [left, right].iter().any(|piece| matches!(piece.kind, TokenKind::Operator(_)));
    if operator_in_parentheses {
        return right.space_before && (is_sole_operator(pieces, index) || is_sole_operator(pieces, index - 1));
    }
    if let Some(space) = beside_brackets(tight, (left, index - 1), (right, index)) {
        return space;
    }
    if let Some(space) = beside_signs(left, right, pieces, index) {
        return space;
    }
    if let Some(space) = before_operator(roles, left, right) {
        return space;
    }
    if let Some(space) = after_operator(roles, left, right) {
        return space;
    }
    let opens = matches!(
        right.kind,
        TokenKind::Punctuation(
            Punctuation::LeftParen
                | Punctuation::LeftBracket
                | Punctuation::LeftArray
                | Punctuation::LeftBrace
                | Punctuation::LeftAnonymous
        )
    );
    if opens && is_operand(left) { right.space_before } else { true }
}

/// `( * )`.
fn is_sole_operator(pieces: &[Piece<'_>], index: usize) -> bool {
    index > 0
        && pieces[index - 1].is(Punctuation::LeftParen)
        && pieces.get(index + 1).is_some_and(|next| next.is(Punctuation::RightParen))
}

fn beside_brackets(
    tight: &HashSet<usize>,
    (left, left_index): (&Piece<'_>, usize),
    (right, right_index): (&Piece<'_>, usize),
) -> Option<bool> {
    use Punctuation::*;
    let TokenKind::Punctuation(left_sign) = left.kind else { return closing(tight, right, right_index) };
    match left_sign {
        LeftParen | LeftAttribute => Some(false),
        LeftBracket | LeftArray | LeftBrace | LeftAnonymous => {
            Some(left.closer != right_index && !tight.contains(&left_index))
        }
        _ => closing(tight, right, right_index),
    }
}

fn closing(tight: &HashSet<usize>, right: &Piece<'_>, index: usize) -> Option<bool> {
    use Punctuation::*;
    let TokenKind::Punctuation(sign) = right.kind else { return None };
    match sign {
        RightParen | RightAttribute => Some(false),
        RightBracket | RightArray | RightBrace | RightAnonymous => Some(!tight.contains(&index)),
        LeftBracket if tight.contains(&index) => Some(false),
        _ => None,
    }
}

/// Beside commas, colons and points.
fn beside_signs(left: &Piece<'_>, right: &Piece<'_>, pieces: &[Piece<'_>], index: usize) -> Option<bool> {
    use Punctuation::*;
    if let TokenKind::Punctuation(sign) = right.kind {
        match sign {
            Comma | Semicolon | Dot => return Some(sign == Dot && right.space_before && !is_operand(left)),
            Colon => return Some(matches!(left.kind, TokenKind::Operator(_))),
            DotDot => return Some(!is_plain_range(pieces, index)),
            Equal | Bar | Arrow | LeftArrow => return Some(true),
            _ => {}
        }
    }
    let TokenKind::Punctuation(sign) = left.kind else { return None };
    match sign {
        Dot => Some(false),
        DotDot => Some(!is_plain_range(pieces, index - 1)),
        Comma | Semicolon | Colon | Equal | Bar | Arrow | LeftArrow => Some(true),
        _ => None,
    }
}

/// Whether a `..` is between two integers, or has one side only.
fn is_plain_range(pieces: &[Piece<'_>], index: usize) -> bool {
    let is_integer = |piece: &Piece<'_>| matches!(piece.kind, TokenKind::Integer { .. });
    let Some(next) = pieces.get(index + 1) else { return true };
    let previous = &pieces[index - 1];
    let before = index < 2 || !matches!(pieces[index - 2].kind, TokenKind::Operator(_));
    let alone = pieces.get(index + 2).is_none_or(|after| !matches!(after.kind, TokenKind::Operator(_)));
    previous.opens() || is_closer(next) || is_integer(previous) && is_integer(next) && before && alone
}

fn before_operator(roles: &Roles, left: &Piece<'_>, right: &Piece<'_>) -> Option<bool> {
    let TokenKind::Operator(operator) = right.kind else { return None };
    if roles.infix.contains(&right.start) {
        return Some(true);
    }
    if roles.prefix.contains(&right.start) {
        return after_operator(roles, left, right).or(Some(true));
    }
    match operator.as_str() {
        "*" | "::" | "&" => Some(true),
        "-" | "^" if !right.space_after => Some(right.space_before),
        text if text.chars().all(|c| c == '>') => Some(false),
        "<" => Some(false),
        _ => Some(right.space_before),
    }
}

fn after_operator(roles: &Roles, left: &Piece<'_>, right: &Piece<'_>) -> Option<bool> {
    let TokenKind::Operator(operator) = left.kind else { return None };
    if roles.infix.contains(&left.start) {
        return Some(true);
    }
    if roles.prefix.contains(&left.start) {
        return Some(right.space_before);
    }
    match operator.as_str() {
        "*" | "::" | "&" => Some(true),
        "<" => Some(false),
        text if text.chars().all(|c| c == '>') => None,
        _ => Some(right.space_before),
    }
}
