//! The thread that answers requests.
//!
//! In: requests, each with the documents as they were when it was made. Out: responses. Holds: an answer is computed from a check of
//! exactly the text that the client asked about; if a newer one has replaced it, the client is told so, and asks again. What needs no
//! names and types is answered at once.

use crate::{
    client::{Client, Failure},
    documents::{Documents, path_of},
    features::{
        actions, completion, definition, folding, formatting, highlights, hints, hover, lenses, references, rename,
        selection, signature, symbols, tokens,
    },
    findings::{Findings, lock},
    server::{Cancelled, cancelled},
    settings::Settings,
    view::{Idle, View},
};
use clef_base::{FileId, SourceMap};
use crossbeam_channel::Receiver;
use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::{
    CompletionItem, Url,
    request::{
        CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest,
        FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest, InlayHintRequest, PrepareRenameRequest,
        RangeFormatting, References, Rename, Request as Method, ResolveCompletionItem, SelectionRangeRequest,
        SemanticTokensFullRequest, SemanticTokensRangeRequest, SignatureHelpRequest, WorkspaceSymbolRequest,
    },
};
use serde_json::Value;

/// A request, with the documents as they were when it was made.
pub(crate) struct Question {
    pub(crate) request: Request,
    pub(crate) documents: Documents,
}

/// The result of a request.
type Answer = Result<Value, Failure>;

/// The state of the thread.
struct Answering<'a> {
    findings: &'a Findings,
    client: &'a Client,
    cancelled: &'a Cancelled,
    settings: &'a Settings,
    /// The last completion, whose items the client may want to know more about.
    completed: Option<completion::Completed>,
}

/// Answers requests in order, until there are no more.
pub(crate) fn run(
    asked: &Receiver<Question>,
    findings: &Findings,
    client: &Client,
    cancelled: &Cancelled,
    settings: &Settings,
) {
    let mut answering = Answering { findings, client, cancelled, settings, completed: None };
    while let Ok(question) = asked.recv() {
        let (id, method) = (question.request.id.clone(), question.request.method.clone());
        let answer = client.guarded(&method, || answering.answer(question));
        let failed = |message| Err(Failure { code: ErrorCode::InternalError, message });
        client.respond(id, answer.unwrap_or_else(failed));
        if asked.is_empty() {
            // The rest came too late.
            lock(cancelled).clear();
        }
    }
}

impl Answering<'_> {
    fn answer(&mut self, question: Question) -> Answer {
        if self.is_cancelled(&question.request.id) {
            return Err(cancelled());
        }
        let settings = self.settings;
        match question.request.method.as_str() {
            HoverRequest::METHOD => self.seen::<HoverRequest>(
                question,
                |params| &params.text_document_position_params.text_document.uri,
                |view, params| Ok(hover::hover(view, params.text_document_position_params.position)),
            ),
            Completion::METHOD => self.complete(question),
            ResolveCompletionItem::METHOD => self.resolve(question),
            SignatureHelpRequest::METHOD => self.seen::<SignatureHelpRequest>(
                question,
                |params| &params.text_document_position_params.text_document.uri,
                |view, params| Ok(signature::help(view, params.text_document_position_params.position)),
            ),
            GotoDefinition::METHOD => self.seen::<GotoDefinition>(
                question,
                |params| &params.text_document_position_params.text_document.uri,
                |view, params| Ok(definition::definition(view, params.text_document_position_params.position)),
            ),
            References::METHOD => self.seen::<References>(
                question,
                |params| &params.text_document_position.text_document.uri,
                |view, params| Ok(references::references(view, &params)),
            ),
            DocumentHighlightRequest::METHOD => self.seen::<DocumentHighlightRequest>(
                question,
                |params| &params.text_document_position_params.text_document.uri,
                |view, params| Ok(highlights::highlights(view, params.text_document_position_params.position)),
            ),
            PrepareRenameRequest::METHOD => self.seen::<PrepareRenameRequest>(
                question,
                |params| &params.text_document.uri,
                |view, params| rename::prepare(view, params.position),
            ),
            Rename::METHOD => self.seen::<Rename>(
                question,
                |params| &params.text_document_position.text_document.uri,
                |view, params| rename::rename(view, params.text_document_position.position, &params.new_name),
            ),
            SemanticTokensFullRequest::METHOD => self.seen::<SemanticTokensFullRequest>(
                question,
                |params| &params.text_document.uri,
                |view, _| Ok(Some(tokens::tokens(view, None).into())),
            ),
            SemanticTokensRangeRequest::METHOD => self.seen::<SemanticTokensRangeRequest>(
                question,
                |params| &params.text_document.uri,
                |view, params| Ok(Some(tokens::tokens(view, Some(params.range)).into())),
            ),
            InlayHintRequest::METHOD => self.seen::<InlayHintRequest>(
                question,
                |params| &params.text_document.uri,
                |view, params| Ok(Some(hints::hints(view, params.range, settings))),
            ),
            CodeActionRequest::METHOD => self.seen::<CodeActionRequest>(
                question,
                |params| &params.text_document.uri,
                |view, params| Ok(Some(actions::actions(view, &params))),
            ),
            CodeLensRequest::METHOD => self.seen::<CodeLensRequest>(
                question,
                |params| &params.text_document.uri,
                |view, _| Ok(Some(lenses::lenses(view))),
            ),
            _ => self.answer_from_text(question),
        }
    }

    /// Answers what needs no names and types.
    fn answer_from_text(&self, question: Question) -> Answer {
        let encoding = self.client.encoding;
        match question.request.method.as_str() {
            DocumentSymbolRequest::METHOD => read::<DocumentSymbolRequest>(
                question,
                |params| &params.text_document.uri,
                |sources, file, _| Ok(Some(symbols::of_document(sources, file, encoding).into())),
            ),
            FoldingRangeRequest::METHOD => read::<FoldingRangeRequest>(
                question,
                |params| &params.text_document.uri,
                |sources, file, _| Ok(Some(folding::ranges(sources, file, encoding))),
            ),
            SelectionRangeRequest::METHOD => read::<SelectionRangeRequest>(
                question,
                |params| &params.text_document.uri,
                |sources, file, params| Ok(Some(selection::ranges(sources, file, encoding, &params.positions))),
            ),
            Formatting::METHOD => read::<Formatting>(
                question,
                |params| &params.text_document.uri,
                |sources, file, _| formatting::edits(sources, file, encoding, None).map(Some),
            ),
            RangeFormatting::METHOD => read::<RangeFormatting>(
                question,
                |params| &params.text_document.uri,
                |sources, file, params| formatting::edits(sources, file, encoding, Some(params.range)).map(Some),
            ),
            WorkspaceSymbolRequest::METHOD => {
                let Question { request, documents } = question;
                let params = parameters::<WorkspaceSymbolRequest>(request)?;
                self.findings.wait(documents.revision, || false);
                let found = symbols::of_workspace(&self.findings.all(), &params.query, &documents, self.client);
                value(&Some(found))
            }
            other => Err(Failure { code: ErrorCode::MethodNotFound, message: format!("unknown method `{other}`") }),
        }
    }

    /// Answers a request about a document from the check of its text.
    fn seen<R: Method<Result: Default>>(
        &self,
        question: Question,
        uri: impl FnOnce(&R::Params) -> &Url,
        feature: impl FnOnce(&mut View<'_>, R::Params) -> Result<R::Result, Failure>,
    ) -> Answer {
        let Question { request, documents } = question;
        let id = request.id.clone();
        let params = parameters::<R>(request)?;
        let path = path_of(uri(&params));
        self.findings.wait(documents.revision, || lock(self.cancelled).contains(&id));
        if self.is_cancelled(&id) {
            return Err(cancelled());
        }
        let Some(finding) = self.findings.of(&path) else { return value(&R::Result::default()) };
        let mut checked = lock(&finding.checked);
        let Some(file) = checked.file(&path) else { return value(&R::Result::default()) };
        let asked = documents.get(&path).map(|document| document.text.as_str());
        if asked.is_some_and(|asked| asked != checked.sources.file(file).text) {
            let message = "the text has changed".into();
            return Err(Failure { code: ErrorCode::ContentModified, message });
        }
        let idle = Idle { storage: finding.storage.as_deref(), frames: finding.frames.as_deref() };
        match View::new(&mut checked, file, idle, &documents, self.client) {
            Some(mut view) => value(&feature(&mut view, params)?),
            None => value(&R::Result::default()),
        }
    }

    fn is_cancelled(&self, id: &RequestId) -> bool {
        lock(self.cancelled).remove(id)
    }

    fn complete(&mut self, question: Question) -> Answer {
        let mut completed = None;
        let answer = self.seen::<Completion>(
            question,
            |params| &params.text_document_position.text_document.uri,
            |view, params| {
                let (items, found) = completion::items(view, params.text_document_position.position);
                completed = found;
                Ok(Some(items.into()))
            },
        );
        self.completed = completed.or(self.completed.take());
        answer
    }

    fn resolve(&mut self, question: Question) -> Answer {
        let item: CompletionItem = parameters::<ResolveCompletionItem>(question.request)?;
        value(&match &mut self.completed {
            Some(completed) => completed.resolve(item),
            None => item,
        })
    }
}

/// Answers a request about a document from its text alone.
fn read<R: Method<Result: Default>>(
    question: Question,
    uri: impl FnOnce(&R::Params) -> &Url,
    feature: impl FnOnce(&SourceMap, FileId, R::Params) -> Result<R::Result, Failure>,
) -> Answer {
    let params = parameters::<R>(question.request)?;
    let path = path_of(uri(&params));
    let Some(document) = question.documents.get(&path) else { return value(&R::Result::default()) };
    let mut sources = SourceMap::default();
    let file = sources.add(path.display().to_string(), document.text.as_str());
    value(&feature(&sources, file, params)?)
}

fn parameters<R: Method>(request: Request) -> Result<R::Params, Failure> {
    let invalid = |error: serde_json::Error| Failure { code: ErrorCode::InvalidParams, message: format!("{error}") };
    serde_json::from_value(request.params).map_err(invalid)
}

fn value<T: serde::Serialize>(result: &T) -> Answer {
    let unwritable = |error| Failure { code: ErrorCode::InternalError, message: format!("{error}") };
    serde_json::to_value(result).map_err(unwritable)
}
