//! Semantic tokens: what names refer to. Everything else is for the grammars of the editors.
//!
//! In: the uses of a file. Out: tokens relative to each other. Holds: tokens are in order, on one line each, and do not overlap.

use crate::view::View;
use clef_check::{Entity, Use, index::Category};
use lsp_types::{Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend};

const TYPES: [SemanticTokenType; 9] = [
    SemanticTokenType::FUNCTION,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::ENUM,
    SemanticTokenType::STRUCT,
    SemanticTokenType::TYPE,
    SemanticTokenType::NAMESPACE,
];

const DECLARATION: u32 = 1;
const READONLY: u32 = 1 << 1;
const STATIC: u32 = 1 << 2;
const OF_LIBRARY: u32 = 1 << 3;

/// The meaning of the numbers.
pub(crate) fn legend() -> SemanticTokensLegend {
    let token_modifiers = vec![
        SemanticTokenModifier::DECLARATION,
        SemanticTokenModifier::READONLY,
        SemanticTokenModifier::STATIC,
        SemanticTokenModifier::DEFAULT_LIBRARY,
    ];
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers }
}

/// The tokens of the file, or those that touch a range.
pub(crate) fn tokens(view: &mut View<'_>, range: Option<Range>) -> SemanticTokens {
    let lines = view.lines();
    let wanted = range.map(|range| lines.offset(range.start)..lines.offset(range.end));
    let parameters = view.index.parameters();
    let uses: Vec<Use> = view.index.uses_in(view.file).to_vec();
    let mut data: Vec<SemanticToken> = Vec::new();
    let (mut last_line, mut last_start, mut last_end) = (0, 0, 0);
    for name in uses {
        let (start, end) = (name.span.start as usize, name.span.end as usize);
        let is_wanted = wanted.as_ref().is_none_or(|wanted| start < wanted.end && wanted.start < end);
        let text = view.sources.text(name.span);
        let is_word = text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '`');
        if !is_wanted || !is_word || text.contains('\n') || start < last_end {
            continue;
        }
        let is_parameter = matches!(name.entity, Entity::Variable(variable) if parameters.contains(&variable));
        let Some((token_type, modifiers)) = class(view, name, is_parameter) else { continue };
        let position = lines.position(start);
        let delta_line = position.line - last_line;
        let delta_start = if delta_line == 0 { position.character - last_start } else { position.character };
        data.push(SemanticToken {
            delta_line,
            delta_start,
            length: lines.encoding.length(text),
            token_type,
            token_modifiers_bitset: modifiers,
        });
        (last_line, last_start, last_end) = (position.line, position.character, end);
    }
    SemanticTokens { result_id: None, data }
}

/// The type and the modifiers of a token.
fn class(view: &mut View<'_>, name: Use, is_parameter: bool) -> Option<(u32, u32)> {
    let category = view.index.category(name.entity);
    let ty = match category {
        Category::Function => 0,
        Category::Value | Category::Mutable if is_parameter => 2,
        Category::Value | Category::Mutable => 1,
        Category::Case | Category::EnumValue => 3,
        Category::Field => 4,
        Category::Union | Category::Enum => 5,
        Category::Record => 6,
        Category::Type => 7,
        Category::Module => 8,
        Category::Builtin => return None,
    };
    let is_global = matches!(name.entity, Entity::Variable(variable) if view.index.is_global(variable));
    let modifiers = [
        (name.declares, DECLARATION),
        (category == Category::Value, READONLY),
        (is_global, STATIC),
        (view.is_given(name.entity), OF_LIBRARY),
    ];
    Some((ty, modifiers.iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum()))
}
