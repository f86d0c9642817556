//! The documents that the editor has open, with texts that may not be saved.
//!
//! In: notifications of the client. Out: the state of all documents, which is cheap to clone. Holds: each change of the state has a
//! new revision.

use crate::positions::{Encoding, Lines};
use clef_base::HashMap;
use lsp_types::{TextDocumentContentChangeEvent, Url};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The open documents at one time, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    /// The number of changes so far.
    pub(crate) revision: u64,
    open: HashMap<PathBuf, Document>,
}

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Its name, as the client wrote it.
    pub(crate) uri: Url,
    /// The client's number of its text.
    pub(crate) version: i32,
    /// Its text.
    pub(crate) text: Arc<String>,
}

impl Documents {
    /// Adds a document.
    pub(crate) fn open(&mut self, uri: Url, version: i32, text: String) -> PathBuf {
        let path = path_of(&uri);
        self.revision += 1;
        self.open.insert(path.clone(), Document { uri, version, text: Arc::new(text) });
        path
    }

    /// Applies changes to the text of a document, in order.
    pub(crate) fn change(
        &mut self,
        uri: &Url,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> PathBuf {
        let path = path_of(uri);
        self.revision += 1;
        if let Some(document) = self.open.get_mut(&path) {
            document.version = version;
            let text = Arc::make_mut(&mut document.text);
            for change in changes {
                apply(text, change, encoding);
            }
        }
        path
    }

    /// Removes a document.
    pub(crate) fn close(&mut self, uri: &Url) -> PathBuf {
        let path = path_of(uri);
        self.revision += 1;
        self.open.remove(&path);
        path
    }

    /// Files have changed which are not open.
    pub(crate) fn touch(&mut self) {
        self.revision += 1;
    }

    /// The document of a file.
    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// The paths of all documents, in order.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.open.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// The documents with other texts of some files.
    pub(crate) fn with_texts(&self, texts: impl IntoIterator<Item = (PathBuf, String)>) -> Documents {
        let mut changed = self.clone();
        for (path, text) in texts {
            let Some(uri) = self.uri(&path) else { continue };
            changed.open.insert(path, Document { uri, version: 0, text: Arc::new(text) });
        }
        changed
    }

    /// The texts, by path.
    pub(crate) fn texts(&self) -> HashMap<PathBuf, String> {
        self.open.iter().map(|(path, document)| (path.clone(), document.text.to_string())).collect()
    }

    /// The name of a file: that of the client, if it is open.
    pub(crate) fn uri(&self, path: &Path) -> Option<Url> {
        self.get(path).map(|document| document.uri.clone()).or_else(|| Url::from_file_path(path).ok())
    }
}

/// The canonical path of a file. A document that is no file, such as one that was never saved, has its name in place of it.
pub(crate) fn path_of(uri: &Url) -> PathBuf {
    match uri.to_file_path() {
        Ok(path) => fs::canonicalize(&path).unwrap_or(path),
        Err(()) => PathBuf::from(uri.as_str()),
    }
}

fn apply(text: &mut String, change: TextDocumentContentChangeEvent, encoding: Encoding) {
    let Some(range) = change.range else {
        *text = change.text;
        return;
    };
    let lines = Lines::new(text, encoding);
    let (start, end) = (lines.offset(range.start), lines.offset(range.end));
    text.replace_range(start.min(end)..end.max(start), &change.text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    #[test]
    fn changes_are_applied_in_order() {
        let uri = Url::parse("untitled:One").expect("it is one");
        let mut documents = Documents::default();
        let path = documents.open(uri.clone(), 1, "let a = 1\nlet b = 2\n".into());
        let edit = |line, from, to, text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(line, from), Position::new(line, to))),
            range_length: None,
            text: text.into(),
        };
        let edits = vec![edit(1, 4, 5, "cc"), edit(1, 4, 6, "d"), edit(0, 0, 99, "")];
        documents.change(&uri, 2, edits, Encoding::Utf16);
        let document = documents.get(&path).expect("it is open");
        assert_eq!((document.text.as_str(), document.version, documents.revision), ("\nlet d = 2\n", 2, 2));
    }
}
