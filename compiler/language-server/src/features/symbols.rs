//! Symbols: what a document declares, and what all files declare.

use crate::{
    client::Client,
    documents::Documents,
    findings::{Finding, lock},
    outline::{self, Item},
    positions::{Encoding, Lines},
};
use clef_base::{FileId, SourceMap};
use lsp_types::{DocumentSymbol, Location, SymbolInformation};

/// The most symbols of a workspace that are returned.
const MOST: usize = 500;

/// The declarations of a document.
pub(crate) fn of_document(sources: &SourceMap, file: FileId, encoding: Encoding) -> Vec<DocumentSymbol> {
    let (tree, _) = clef_syntax::parse(sources, file);
    let lines = Lines::new(&sources.file(file).text, encoding);
    outline::items(&tree).iter().map(|item| symbol(item, &lines)).collect()
}

#[allow(deprecated, reason = "the type of the protocol has a field that is deprecated")]
fn symbol(item: &Item, lines: &Lines<'_>) -> DocumentSymbol {
    let children: Vec<DocumentSymbol> = item.children.iter().map(|child| symbol(child, lines)).collect();
    DocumentSymbol {
        name: item.name.clone(),
        detail: None,
        kind: item.kind,
        tags: None,
        deprecated: None,
        range: lines.range(item.span),
        selection_range: lines.range(item.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The declarations of all checked programs whose names contain the letters of a query in their order.
pub(crate) fn of_workspace(
    findings: &[Finding],
    query: &str,
    documents: &Documents,
    client: &Client,
) -> Vec<SymbolInformation> {
    let mut found: Vec<SymbolInformation> = Vec::new();
    for finding in findings {
        let checked = lock(&finding.checked);
        let Some(program) = &checked.program else { continue };
        for tree in program.trees().filter(|tree| !checked.is_of_library(tree.file)) {
            let lines = Lines::new(&checked.sources.file(tree.file).text, client.encoding);
            let Some(uri) = documents.uri(&checked.paths[tree.file.0 as usize]) else { continue };
            outline::each(&outline::items(tree), "", &mut |item, path| {
                if found.len() < MOST && matches(&item.name, query) {
                    let location = Location { uri: uri.clone(), range: lines.range(item.name_span) };
                    let symbol = information(item, path, location);
                    if !found.contains(&symbol) {
                        found.push(symbol);
                    }
                }
            });
        }
    }
    found
}

#[allow(deprecated, reason = "the type of the protocol has a field that is deprecated")]
fn information(item: &Item, path: &str, location: Location) -> SymbolInformation {
    let container_name = (!path.is_empty()).then(|| path.to_owned());
    SymbolInformation {
        name: item.name.clone(),
        kind: item.kind,
        tags: None,
        deprecated: None,
        location,
        container_name,
    }
}

/// Whether a name contains the letters of a query in their order.
fn matches(name: &str, query: &str) -> bool {
    let mut rest = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| rest.any(|one| one == wanted))
}
