//! Code actions: the proposals of the compiler.
//!
//! In: a range. Out: edits for the diagnostics in it: those that diagnostics carry, the cases that a `match` lacks, and for unknown names
//! the modules that have them. Holds: the edits that are not the compiler's own were checked: they remove the diagnostic, and cause no
//! error.

use crate::{outline, view::View};
use clef_base::{Diagnostic, Severity, Span, codes};
use clef_syntax::ast::{Arm, Ast, DeclarationKind, ExprKind};
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, TextEdit, WorkspaceEdit};
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
        let edits: Vec<(&str, Span, &str)> = diagnostic
            .proposals
            .iter()
            .filter_map(|one| one.replacement.as_ref().map(|(span, text)| (one.message.as_str(), *span, text.as_str())))
            .collect();
        for (title, span, text) in &edits {
            actions.extend(action(view, title, &[(*span, (*text).to_owned())], edits.len() == 1));
        }
        if let Some(primary) = &diagnostic.primary {
            let own: Vec<&str> = edits.iter().map(|(_, _, text)| *text).collect();
            if diagnostic.code == codes::INCOMPLETE_MATCH {
                actions.extend(missing_cases(view, diagnostic, primary.span));
            } else if [codes::UNKNOWN_NAME, codes::UNKNOWN_TYPE, codes::UNKNOWN_CASE].contains(&diagnostic.code) {
                actions.extend(modules(view, primary.span, &own));
            }
        }
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
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

/// The action that adds the cases that a `match` lacks.
fn missing_cases(view: &View<'_>, diagnostic: &Diagnostic, scrutinee: Span) -> Option<CodeAction> {
    let tree = view.tree_of(scrutinee.file)?;
    let arms = arms_of(tree, scrutinee)?;
    let last = arms.last()?;
    let (pattern, body) = (tree.patterns[last.pattern].span, tree.exprs[last.body].span);
    let lines = view.lines_of(scrutinee.file);
    let line = lines.line(lines.line_of(pattern.start as usize));
    let indent = &line[..line.len() - line.trim_start().len()];
    // Arms on the line of the match are continued on it.
    let before = if line.trim_start().starts_with('|') { format!("\n{indent}") } else { " ".to_owned() };
    let mut places = places_after(view, body);
    let mut added = String::new();
    let mut next = missing(diagnostic)?;
    let mut place = None;
    for _ in 0..MOST_CASES {
        added.push_str(&format!("{before}| {next} -> failwith \"not implemented\""));
        let works = |at: &Span| Some((*at, edited(view, *at, &added)?));
        let (at, after) = match place {
            Some(at) => works(&at)?,
            None => places.find_map(|at| works(&at))?,
        };
        place = Some(at);
        let still = after.iter().find(|one| {
            one.code == codes::INCOMPLETE_MATCH && one.primary.as_ref().is_some_and(|label| label.span == scrutinee)
        });
        let Some(still) = still else { return action(view, "add the missing cases", &[(at, added)], true) };
        next = missing(still)?;
    }
    None
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
fn modules(view: &View<'_>, name: Span, proposed: &[&str]) -> Vec<CodeAction> {
    let text = view.sources.text(name);
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for tree in view.trees().filter(|tree| tree.file != name.file) {
        outline::each(&outline::items(tree), "", &mut |item, path| {
            if item.name == text && !path.is_empty() {
                paths.insert(path.to_owned());
            }
        });
    }
    let mut actions = Vec::new();
    for path in paths.into_iter().take(MOST_MODULES) {
        let qualified = (name, format!("{path}.{text}"));
        let opened = open(view, name, &path);
        for (title, (span, new)) in
            [(format!("write `{}`", qualified.1), qualified), (format!("open `{path}`"), opened)]
        {
            if proposed.contains(&new.as_str()) {
                continue;
            }
            let after = edited(view, span, &new);
            let shift = if span.start < name.start { new.len() as u32 } else { 0 };
            let is_still = |one: &Diagnostic| {
                one.primary
                    .as_ref()
                    .is_some_and(|label| label.span.start == name.start + shift && label.span.file == name.file)
                    && one.severity == Severity::Error
            };
            if after.is_some_and(|after| !after.iter().any(is_still)) {
                actions.extend(action(view, &title, &[(span, new)], false));
            }
        }
    }
    actions
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
