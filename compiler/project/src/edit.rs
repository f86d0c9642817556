//! Edits of project files, which keep comments and layout.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// The text of a project file, with one more dependency at the end of its dependencies. Fails with a reason if the text
/// is no valid TOML, or if its dependencies are no table.
pub fn with_dependency(text: &str, name: &str, path: &str) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let dependencies = document.entry("dependencies").or_insert_with(|| Item::Table(Table::new()));
    let Some(table) = dependencies.as_table_like_mut() else { return Err("`dependencies` is no table".to_owned()) };
    insert(table, name, path);
    Ok(document.to_string())
}

/// Whether a project file has a dependency of this name.
pub fn has_dependency(text: &str, name: &str) -> bool {
    let document: Option<DocumentMut> = text.parse().ok();
    let names =
        |document: DocumentMut| document.get("dependencies")?.as_table_like().map(|table| table.contains_key(name));
    document.and_then(names).unwrap_or(false)
}

fn insert(table: &mut dyn TableLike, name: &str, path: &str) {
    let mut value = InlineTable::new();
    value.insert("path", Value::from(path));
    table.insert(name, Item::Value(Value::InlineTable(value)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str) -> String {
        with_dependency(text, "util", "../util").expect("it is valid")
    }

    #[test]
    fn comments_and_order_are_kept() {
        let text = "# A program.\nname = \"app\" # its name\nsources = [\"main.clef\"]\n\n[dependencies]\n# of the team\nmath = { path = \"../math\" }\n";
        assert_eq!(edited(text), format!("{text}util = {{ path = \"../util\" }}\n"));
    }

    #[test]
    fn a_table_is_added() {
        assert_eq!(
            edited("name = \"app\"\nsources = [\"main.clef\"]"),
            "name = \"app\"\nsources = [\"main.clef\"]\n\n[dependencies]\nutil = { path = \"../util\" }\n"
        );
    }

    #[test]
    fn other_tables_follow() {
        assert_eq!(
            edited("[dependencies]\nmath = { path = \"../math\" }\n\n[build]\nsources = [\"A.fs\"]\n"),
            "[dependencies]\nmath = { path = \"../math\" }\nutil = { path = \"../util\" }\n\n[build]\nsources = [\"A.fs\"]\n"
        );
    }

    #[test]
    fn inline_tables_grow_and_names_are_quoted() {
        let text =
            with_dependency("dependencies = { math = { path = \"m\" } }\n", "a b", "../\"x\"").unwrap_or_default();
        assert!(text.starts_with("dependencies = {") && text.lines().count() == 1, "{text}");
        assert!(has_dependency(&text, "a b") && has_dependency(&text, "math") && !has_dependency(&text, "b"), "{text}");
        assert!(with_dependency("dependencies = 1\n", "util", "../util").is_err());
    }
}
