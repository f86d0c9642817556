//! The pages of commands.

use super::{Rendered, names::Names, text_html};
use crate::html::escaped;

/// A command of a program.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    /// How it is called.
    pub usage: String,
    /// Its arguments and options.
    pub parameters: Vec<Parameter>,
    /// What is said after them.
    pub after: String,
}

/// An argument or an option of a command.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// As it is written: `-o, --output <OUT>`.
    pub written: String,
    /// What it does.
    pub about: String,
}

/// The body of the page.
pub(super) fn html(command: &Command, path: &str, names: &Names) -> String {
    let comment = |text: &str| text_html(text, path, names, &Rendered::Comment).0;
    let mut out = format!("<h1>{}</h1>\n{}", escaped(&command.name), comment(&command.about));
    out.push_str(&format!("<pre><code>{}</code></pre>\n", escaped(&command.usage)));
    if !command.parameters.is_empty() {
        out.push_str("<h2>Arguments and options</h2>\n<dl>\n");
        for parameter in &command.parameters {
            out.push_str(&format!(
                "<dt id=\"{}\"><code>{}</code></dt><dd>{}</dd>\n",
                anchor(parameter),
                escaped(&parameter.written),
                comment(&escaped(&parameter.about)),
            ));
        }
        out.push_str("</dl>\n");
    }
    if !command.after.is_empty() {
        out.push_str(&format!("<h2>More</h2>\n<pre class=\"text\"><code>{}</code></pre>\n", escaped(&command.after)));
    }
    out
}

/// The anchor of a parameter: its words.
pub(super) fn anchor(parameter: &Parameter) -> String {
    let words = parameter.written.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
