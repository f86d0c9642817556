//! Code actions: the proposals of the compiler.
//!
//! In: a range. Out: edits for the diagnostics in it: those that diagnostics carry, the cases that a `match` lacks, and for unknown names
//! the modules that have them. Holds: the edits that are not the compiler's own were checked: they remove the diagnostic, and cause no
//! error.

use crate::{outline, view::View};
use clef_base::{Code, Diagnostic, Severity, Span, codes, diagnostic::Proposal};
use clef_syntax::ast::{Arm, Ast, DeclarationKind, ExprKind};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, SymbolKind, TextEdit, WorkspaceEdit,
};
use std::collections::{BTreeSet, HashMap};

/// The most modules that are proposed for a name.
const MOST_MODULES: usize = 3;
/// The most cases that are added to a match.
const MOST_CASES: usize = 30;

/// The actions in a range.
pub(crate) fn actions(view: &mut View<'_>, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    let lines = view.lines();
    let (start, end) = (lines.offset(params.range.start) as u32, lines.offset(params.range.end) as u32);
    let wanted = Span { file: view.file, start: start.min(end), end: end.max(start) };
    let touches = |span: &Span| span.file == wanted.file && span.start <= wanted.end && wanted.start <= span.end;
    let here: Vec<&Diagnostic> = view
        .diagnostics
        .iter()
        .filter(|diagnostic| {
            let own = diagnostic.primary.iter().map(|label| label.span);
            let edits = diagnostic.proposals.iter().filter_map(|one| one.replacement.as_ref().map(|(span, _)| *span));
            own.chain(edits).any(|span| touches(&span))
        })
        .collect();
    let mut actions = Vec::new();
    for diagnostic in here {
        let edits = edits(diagnostic);
        actions.extend(proposals(view, &edits));
        let Some(primary) = diagnostic.primary.as_ref().map(|label| label.span) else { continue };
        let own: Vec<&str> = edits.iter().map(|edit| edit.text).collect();
        if diagnostic.code == codes::INCOMPLETE_MATCH {
            actions.extend(missing_cases(view, diagnostic, primary));
        } else if [codes::UNUSED_OPEN, codes::UNKNOWN_MODULE].contains(&diagnostic.code) {
            actions.extend(without_open(view, primary));
        } else if let Some(kinds) = kinds(diagnostic.code) {
            actions.extend(modules(view, primary, kinds, &own));
        }
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// An edit that a diagnostic proposes.
struct Edit<'a> {
    message: &'a str,
    span: Span,
    text: &'a str,
}

fn edits(diagnostic: &Diagnostic) -> Vec<Edit<'_>> {
    let edits = diagnostic.proposals.iter().filter_map(|Proposal { message, replacement }| {
        let (span, text) = replacement.as_ref()?;
        Some(Edit { message, span: *span, text })
    });
    edits.collect()
}

/// The actions for the edits of a diagnostic: one with all of them, or one for each if they are alternatives for the same place.
fn proposals(view: &View<'_>, edits: &[Edit<'_>]) -> Vec<CodeAction> {
    let overlaps = |one: Span, other: Span| one == other || one.start < other.end && other.start < one.end;
    let are_alternatives = edits.iter().enumerate().any(|(number, edit)| {
        edits[..number].iter().any(|other| other.span.file == edit.span.file && overlaps(other.span, edit.span))
    });
    let replacement = |edit: &Edit<'_>| (edit.span, edit.text.to_owned());
    if are_alternatives {
        return edits.iter().filter_map(|edit| action(view, edit.message, &[replacement(edit)], false)).collect();
    }
    let mut titles: Vec<&str> = Vec::new();
    for edit in edits {
        if !titles.contains(&edit.message) {
            titles.push(edit.message);
        }
    }
    let all: Vec<(Span, String)> = edits.iter().map(replacement).collect();
    let joined = (!all.is_empty()).then(|| action(view, &titles.join(", "), &all, true)).flatten();
    joined.into_iter().collect()
}

/// The kinds of declarations that a name can refer to which is unknown for the reason of a code; nothing for other codes.
fn kinds(code: Code) -> Option<&'static [SymbolKind]> {
    const TYPES: &[SymbolKind] = &[SymbolKind::STRUCT, SymbolKind::ENUM, SymbolKind::CLASS];
    const VALUES: &[SymbolKind] = &[
        SymbolKind::FUNCTION,
        SymbolKind::VARIABLE,
        SymbolKind::CONSTANT,
        SymbolKind::ENUM_MEMBER,
        SymbolKind::MODULE,
        SymbolKind::NAMESPACE,
    ];
    if code == codes::UNKNOWN_TYPE {
        Some(TYPES)
    } else if code == codes::UNKNOWN_NAME {
        Some(VALUES)
    } else if [codes::UNKNOWN_CASE, codes::CAPITAL_VARIABLE].contains(&code) {
        Some(&[SymbolKind::ENUM_MEMBER])
    } else if code == codes::UNKNOWN_FIELD {
        Some(&[SymbolKind::FIELD])
    } else {
        None
    }
}

/// The action that removes an `open`, whose module has this place.
fn without_open(view: &View<'_>, module: Span) -> Option<CodeAction> {
    let opens = view.tree_of(module.file)?.declarations.iter();
    let open =
        opens.filter(|one| matches!(one.kind, DeclarationKind::Open(_))).find(|one| one.span.contains(module))?;
    let text = &view.sources.file(module.file).text;
    let start = text[..open.span.start as usize].rfind('\n').map_or(0, |end| end + 1);
    let rest = &text[open.span.end as usize..];
    let end = open.span.end as usize + rest.find('\n').map_or(rest.len(), |end| end + 1);
    let is_alone = text[start..end].trim() == view.sources.text(open.span);
    let span = if is_alone { Span::new(module.file, start, end) } else { open.span };
    action(view, "remove this `open`", &[(span, String::new())], true)
}

/// An action with edits.
fn action(view: &View<'_>, title: &str, edits: &[(Span, String)], is_preferred: bool) -> Option<CodeAction> {
    let mut changes: HashMap<_, Vec<TextEdit>> = HashMap::new();
    for (span, text) in edits {
        let location = view.location(*span)?;
        changes.entry(location.uri).or_default().push(TextEdit { range: location.range, new_text: text.clone() });
    }
    let mut letters = title.chars();
    let title = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: Some(is_preferred),
        ..CodeAction::default()
    })
}

/// The diagnostics of the program with an edit, if it has no more errors than before.
fn edited(view: &View<'_>, at: Span, text: &str) -> Option<Vec<Diagnostic>> {
    let errors = |diagnostics: &[Diagnostic]| {
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    };
    let mut whole = view.sources.file(at.file).text.clone();
    whole.replace_range(at.start as usize..at.end as usize, text);
    let after = view.with_texts([(at.file, whole)]).diagnostics;
    (errors(&after) <= errors(view.diagnostics)).then_some(after)
}

/// The action that adds the cases that a `match` lacks: those that the compiler names one after the other, or a last arm for all
/// of them if there are too many.
fn missing_cases(view: &View<'_>, diagnostic: &Diagnostic, scrutinee: Span) -> Option<CodeAction> {
    let tree = view.tree_of(scrutinee.file)?;
    let last = arms_of(tree, scrutinee)?.last()?;
    let (pattern, body) = (tree.patterns[last.pattern].span, tree.exprs[last.body].span);
    let before = before_arm(view, pattern);
    let arm = |pattern: &str| format!("{before}| {pattern} -> failwith \"not implemented\"");
    let first = missing(diagnostic)?;
    // The warning stays where an arm becomes one of another match.
    let still = |after: &[Diagnostic]| {
        let same = |one: &&Diagnostic| one.primary.as_ref().is_some_and(|label| label.span == scrutinee);
        after.iter().filter(|one| one.code == codes::INCOMPLETE_MATCH).find(same).map(missing)
    };
    let works = |at: Span| {
        let after = edited(view, at, &arm(&first))?;
        (still(&after) != Some(Some(first.clone()))).then_some(at)
    };
    let at = places_after(view, body).find_map(works)?;
    let (mut added, mut next) = (String::new(), Some(Some(first)));
    for _ in 0..MOST_CASES {
        let Some(pattern) = next else { return action(view, "add the missing cases", &[(at, added)], true) };
        added.push_str(&arm(&pattern?));
        next = still(&edited(view, at, &added)?);
    }
    action(view, "add the missing cases", &[(at, arm("_"))], true)
}

/// What is before an arm after one with this pattern: a new line, or a space where the arms are on the line of the `match`.
fn before_arm(view: &View<'_>, pattern: Span) -> String {
    let lines = view.lines_of(pattern.file);
    let number = lines.line_of(pattern.start as usize);
    let line = &lines.line(number)[..pattern.start as usize - lines.start(number)];
    let indent = &line[..line.len() - line.trim_start().len()];
    if ["", "|"].contains(&line.trim()) { format!("\n{indent}") } else { " ".to_owned() }
}

/// The arms of the `match` with a scrutinee, or of the `function` at a place.
fn arms_of(tree: &Ast, scrutinee: Span) -> Option<&Vec<Arm>> {
    tree.exprs.iter().find_map(|(_, expr)| {
        if let ExprKind::Match { scrutinee: own, arms } = &expr.kind {
            (tree.exprs[*own].span == scrutinee).then_some(arms)
        } else if let ExprKind::Function(arms) = &expr.kind {
            (expr.span.start == scrutinee.start).then_some(arms)
        } else {
            None
        }
    })
}

/// The pattern that a diagnostic proposes to add.
fn missing(diagnostic: &Diagnostic) -> Option<String> {
    diagnostic.proposals.iter().find_map(|proposal| {
        let (_, rest) = proposal.message.split_once("`| ")?;
        rest.strip_suffix(" -> …`").map(str::to_owned)
    })
}

/// The place after an expression, and the places after each bracket that closes after it.
fn places_after(view: &View<'_>, expr: Span) -> impl Iterator<Item = Span> + use<> {
    let text = &view.sources.file(expr.file).text;
    let mut places = vec![expr.at_end()];
    for (index, one) in text[expr.end as usize..].char_indices() {
        if ")]}".contains(one) {
            let end = expr.end + index as u32 + 1;
            places.push(Span { file: expr.file, start: end, end });
        } else if !one.is_whitespace() || one == '\n' {
            break;
        }
    }
    places.into_iter()
}

/// For a name that is unknown: the modules that have it, to be named before it, unless the compiler proposes that, or to be opened.
fn modules(view: &View<'_>, name: Span, kinds: &[SymbolKind], proposed: &[&str]) -> Vec<CodeAction> {
    let text = view.sources.text(name);
    let mut actions = Vec::new();
    for (module, owner) in declaring(view, name, kinds).into_iter().take(MOST_MODULES) {
        // A field takes the name of its module, not that of its type.
        let qualifier = if kinds == [SymbolKind::FIELD] { &module } else { &owner };
        let qualified = (name, format!("{qualifier}.{text}"));
        let opened = open(view, name, &module);
        for (title, (span, new)) in
            [(format!("write `{}`", qualified.1), qualified), (format!("open `{module}`"), opened)]
        {
            if !proposed.contains(&new.as_str()) && is_solved(view, name, (span, &new)) {
                actions.extend(action(view, &title, &[(span, new)], false));
            }
        }
    }
    actions
}

/// The modules that declare a name, each with the type of it that contains the declaration, or without.
fn declaring(view: &View<'_>, name: Span, kinds: &[SymbolKind]) -> BTreeSet<(String, String)> {
    let text = view.sources.text(name);
    let mut found = BTreeSet::new();
    for tree in view.trees().filter(|tree| tree.file != name.file) {
        outline::each(&outline::items(tree), "", &mut |item, path| {
            let is_member = [SymbolKind::ENUM_MEMBER, SymbolKind::FIELD].contains(&item.kind);
            let module = if is_member { path.rsplit_once('.').map_or("", |(module, _)| module) } else { path };
            if item.name == text && kinds.contains(&item.kind) && !module.is_empty() {
                found.insert((module.to_owned(), path.to_owned()));
            }
        });
    }
    found
}

/// Whether an edit makes an unknown name known: no error is left at it, and none is new.
fn is_solved(view: &View<'_>, name: Span, (at, new): (Span, &str)) -> bool {
    let Some(after) = edited(view, at, new) else { return false };
    let is_open = at != name;
    let start = if is_open && at.start <= name.start { name.start + new.len() as u32 } else { name.start };
    let length = if is_open { name.end - name.start } else { new.len() as u32 };
    let is_there = |span: Span| span.file == name.file && span.start < start + length && start < span.end;
    let counts = |one: &Diagnostic| one.severity == Severity::Error || one.code == codes::CAPITAL_VARIABLE;
    !after.iter().any(|one| counts(one) && one.primary.as_ref().is_some_and(|label| is_there(label.span)))
}

/// The edit that opens a module: after the other `open`s, or before the first declaration.
fn open(view: &View<'_>, name: Span, path: &str) -> (Span, String) {
    let file = name.file;
    let Some(tree) = view.tree_of(file) else { return (name.at_start(), String::new()) };
    let lines = view.lines_of(file);
    let mut opens = tree.declarations.iter().filter(|one| matches!(one.kind, DeclarationKind::Open(_)));
    if let Some(last) = opens.next_back().filter(|last| last.span.start < name.start) {
        return (last.span.at_end(), format!("\nopen {path}"));
    }
    match &tree.header {
        Some(header) => (header.span.at_end(), format!("\n\nopen {path}")),
        None => {
            let comments =
                (0..).take_while(|line| lines.line(*line).starts_with("//") && !lines.line(*line).starts_with("///"));
            let start = lines.start(comments.count());
            (Span::new(file, start, start), format!("open {path}\n\n"))
        }
    }
}
