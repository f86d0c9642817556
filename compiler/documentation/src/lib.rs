//! Documentation: comments, the examples in them, and a static site.
//!
//! In: the trees and names of checked files, and pages of Markdown. Out: [`reference::Module`]s with what their `///` comments
//! say; programs that run the examples of the comments; and a [`site::Site`], the files of a site by their paths. Nothing is
//! read, run or written here.
//!
//! - `comment`: the comment above a declaration, its summary, examples and facts.
//! - `reference`: the public declarations of files.
//! - `examples`: the examples of files as programs.
//! - `language`: what the language itself defines, as a page.
//! - `markdown`, `highlight`: Markdown and Clef as HTML.
//! - `site`: the pages, their navigation, the search, and the links between them.

pub mod comment;
pub mod examples;
mod highlight;
mod html;
pub mod language;
pub mod markdown;
pub mod reference;
pub mod site;
