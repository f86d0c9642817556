//! The syntax definition of Kate.

use super::{Class, Lists, NOTICE, Region, Rule};

/// The contexts that are written so far.
#[derive(Default)]
struct Contexts {
    /// Those of the lists; the first is that of a file.
    lists: String,
    /// Those of regions and pieces.
    parts: String,
    /// The number of the latter.
    count: usize,
}

/// The rules as a syntax definition.
pub fn kate(lists: &Lists) -> String {
    let mut contexts = Contexts::default();
    for (name, rules) in lists {
        let rules: String = rules.iter().map(|rule| contexts.rule(rule)).collect();
        contexts.lists += &context(name, None, &rules);
    }
    let styles = Class::ALL.iter().map(|(class, _, style)| {
        let plain = if matches!(class, Class::Quoted | Class::LineComment | Class::BlockComment | Class::Documentation)
        {
            ""
        } else {
            " spellChecking=\"false\""
        };
        format!("      <itemData name=\"{class:?}\" defStyleNum=\"{style}\"{plain}/>\n")
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE language>\n<!-- {NOTICE} -->\n\
         <language name=\"Clef\" section=\"Sources\" version=\"1\" kateversion=\"5.62\" extensions=\"*.clef\" \
         mimetype=\"text/x-clef\" license=\"MIT\" indenter=\"normal\">\n  <highlighting>\n    <contexts>\n{}{}    \
         </contexts>\n    <itemDatas>\n      <itemData name=\"Normal\" defStyleNum=\"dsNormal\"/>\n{}    </itemDatas>\n  \
         </highlighting>\n  <general>\n    <comments>\n      <comment name=\"singleLine\" start=\"//\"/>\n      \
         <comment name=\"multiLine\" start=\"(*\" end=\"*)\"/>\n    </comments>\n    <folding \
         indentationsensitive=\"true\"/>\n  </general>\n</language>\n",
        contexts.lists,
        contexts.parts,
        styles.collect::<String>(),
    )
}

/// Text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn style(class: Option<Class>) -> String {
    class.map_or("Normal".to_owned(), |class| format!("{class:?}"))
}

fn expression(pattern: &str, class: Option<Class>, context: &str) -> String {
    let start = if pattern.starts_with("^\\s*") { " column=\"0\"" } else { "" };
    let style = style(class);
    format!("        <RegExpr attribute=\"{style}\" context=\"{context}\" String=\"{}\"{start}/>\n", escaped(pattern))
}

fn context(name: &str, class: Option<Class>, rules: &str) -> String {
    let style = style(class);
    format!("      <context name=\"{name}\" attribute=\"{style}\" lineEndContext=\"#stay\">\n{rules}      </context>\n")
}

impl Contexts {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("part-{}", self.count)
    }

    fn rule(&mut self, rule: &Rule) -> String {
        match rule {
            Rule::Include(name) => format!("        <IncludeRules context=\"{name}\"/>\n"),
            Rule::Text(text, class) => expression(text, *class, "#stay"),
            Rule::Pieces(pieces) => self.pieces(pieces),
            Rule::Region(Region { open, close, delimiter, content, rules }) => {
                let name = self.name();
                let inner = expression(close, Some(*delimiter), "#pop")
                    + &format!("        <IncludeRules context=\"{rules}\"/>\n");
                self.parts += &context(&name, *content, &inner);
                expression(open, Some(*delimiter), &name)
            }
        }
    }

    /// A context for each piece but the first; the first looks ahead at all others.
    fn pieces(&mut self, pieces: &[(String, Option<Class>)]) -> String {
        let mut next = "#pop".to_owned();
        let mut ahead = String::new();
        for (index, (text, class)) in pieces.iter().enumerate().rev() {
            let ahead_of_this = if ahead.is_empty() { String::new() } else { format!("(?={ahead})") };
            if index == 0 {
                return expression(&format!("{text}{ahead_of_this}"), *class, next.trim_start_matches("#pop!"));
            }
            let name = self.name();
            let rule = expression(&format!("{text}{ahead_of_this}"), *class, &next);
            self.parts += &context(&name, None, &rule);
            next = format!("#pop!{name}");
            ahead = format!("{text}{ahead_of_this}");
        }
        String::new()
    }
}
