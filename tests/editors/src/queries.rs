//! The queries of the tree-sitter grammar in the words of other editors.
//!
//! `editors/tree-sitter-clef/queries` has the names of captures of Neovim. Helix and Zed have others, and fall back from
//! `keyword.repeat` to `keyword` by themselves. In all three the last pattern that matches has precedence.

/// An editor with names of its own.
#[derive(Clone, Copy)]
pub enum Editor {
    /// Helix.
    Helix,
    /// Zed.
    Zed,
}

/// Names of captures: those of Neovim, Helix and Zed.
const CAPTURES: [(&str, &str, &str); 19] = [
    ("boolean", "constant.builtin.boolean", "boolean"),
    ("character", "constant.character", "string"),
    ("comment", "comment.block", "comment"),
    ("comment.documentation", "comment.line.documentation", "comment.doc"),
    ("constant.builtin", "constant.builtin", "constant"),
    ("function.builtin", "function.builtin", "function"),
    ("function.call", "function", "function"),
    ("keyword.conditional", "keyword.control.conditional", "keyword"),
    ("keyword.directive", "keyword.directive", "preproc"),
    ("keyword.import", "keyword.control.import", "keyword"),
    ("keyword.modifier", "keyword.storage.modifier", "keyword"),
    ("keyword.repeat", "keyword.control.repeat", "keyword"),
    ("keyword.type", "keyword.storage.type", "keyword"),
    ("module", "namespace", "namespace"),
    ("number", "constant.numeric", "number"),
    ("property", "variable.other.member", "property"),
    ("string.escape", "constant.character.escape", "string.escape"),
    ("type.definition", "type", "type"),
    ("variable.builtin", "variable.builtin", "variable.special"),
];

/// A query for highlighting in the words of an editor.
pub fn translated(query: &str, editor: Editor) -> String {
    let mut pieces = query.split('@');
    let first = pieces.next().unwrap_or_default();
    let translate = |piece: &str| {
        let end = piece.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_').unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let known = CAPTURES.iter().find(|(neovim, ..)| *neovim == name);
        let name = known.map_or(name, |(_, helix, zed)| match editor {
            Editor::Helix => helix,
            Editor::Zed => zed,
        });
        format!("@{name}{rest}")
    };
    format!("; Written from editors/tree-sitter-clef/queries by `UPDATE=1 cargo test -p clef-editors`.\n\n{first}")
        + &pieces.map(translate).collect::<String>()
}
