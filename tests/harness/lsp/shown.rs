//! The answers of the server as an editor shows them: in: values of the protocol, out: lines of text. Lines and columns start at one.

use serde_json::Value;

/// A string of the protocol.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("nothing")
}

/// A list of the protocol.
pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A position of the protocol, which counts from zero.
pub(super) fn position(position: &Value) -> (usize, usize) {
    let number = |name: &str| position[name].as_u64().unwrap_or_default() as usize;
    (number("line"), number("character"))
}

/// A range: `1:5-1:10`.
pub(super) fn range(range: &Value) -> String {
    let place = |(line, column)| format!("{}:{}", line + 1, column + 1);
    format!("{}-{}", place(position(&range["start"])), place(position(&range["end"])))
}

/// Diagnostics, each with its code and what follows its message.
pub(super) fn diagnostics(value: &Value) -> String {
    let one = |diagnostic: &Value| {
        let message = text(&diagnostic["message"]).replace('\n', "\n    ");
        format!("{} {} {message}\n", range(&diagnostic["range"]), text(&diagnostic["code"]))
    };
    let all: String = list(value).map(one).collect();
    if all.is_empty() { "no diagnostics".into() } else { all }
}

/// An item of a completion.
pub(super) fn item(item: &Value) -> String {
    format!("{}  {}\n", text(&item["label"]), text(&item["detail"]))
}

/// A signature, with the active parameter in brackets, and its documentation.
pub(super) fn signature(help: &Value) -> String {
    let signature = &help["signatures"][0];
    let active = signature["activeParameter"].as_u64().unwrap_or_default() as usize;
    let parameter = text(&signature["parameters"][active]["label"]);
    let label = text(&signature["label"]).replacen(parameter, &format!("‹{parameter}›"), 1);
    format!("{label}\n{}", text(&signature["documentation"]["value"]))
}

/// The ranges of locations.
pub(super) fn places(value: &Value) -> String {
    list(value).map(|place| range(&place["range"]) + "\n").collect()
}

/// The symbols of a document as a tree.
pub(super) fn symbols(value: &Value, depth: usize) -> String {
    let one = |symbol: &Value| {
        let own = format!("{}{} {}\n", "    ".repeat(depth), text(&symbol["name"]), range(&symbol["selectionRange"]));
        own + &symbols(&symbol["children"], depth + 1)
    };
    list(value).map(one).collect()
}

/// The symbols of a workspace, each after what contains it.
pub(super) fn symbols_of_workspace(value: &Value) -> String {
    let one = |symbol: &Value| {
        let place = range(&symbol["location"]["range"]);
        format!("{} in {} at {place}\n", text(&symbol["name"]), text(&symbol["containerName"]))
    };
    list(value).map(one).collect()
}

/// The semantic tokens of each line.
pub(super) fn tokens(value: &Value, legend: &Value, document: &str) -> String {
    let numbers: Vec<usize> = list(&value["data"]).filter_map(Value::as_u64).map(|number| number as usize).collect();
    let lines: Vec<&str> = document.lines().collect();
    let (mut line, mut column, mut out) = (0, 0, String::new());
    for (index, token) in numbers.chunks(5).enumerate() {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let separator = if token[0] > 0 || index == 0 { format!("\n{}: ", line + 1) } else { ", ".into() };
        let name: String = lines[line].chars().skip(column).take(token[2]).collect();
        let class = text(&legend["tokenTypes"][token[3]]);
        let set = list(&legend["tokenModifiers"]).enumerate().filter(|(bit, _)| token[4] >> bit & 1 == 1);
        let modifiers: String = set.map(|(_, modifier)| format!(" {}", text(modifier))).collect();
        out.push_str(&format!("{separator}{name} = {class}{modifiers}"));
    }
    out.trim_start().to_owned()
}

/// The lines with inlay hints, which are in brackets.
pub(super) fn hints(value: &Value, document: &str) -> String {
    let hints: Vec<(usize, usize, &str)> = list(value)
        .map(|hint| {
            let (line, column) = position(&hint["position"]);
            (line, column, text(&hint["label"]))
        })
        .collect();
    let mut out = String::new();
    for (number, line) in document.lines().enumerate() {
        let own: Vec<_> = hints.iter().filter(|(line, ..)| *line == number).collect();
        if own.is_empty() {
            continue;
        }
        let mut line = line.to_owned();
        for (_, column, label) in own.into_iter().rev() {
            line.insert_str(*column, &format!("[{label}]"));
        }
        out.push_str(&format!("{}: {line}\n", number + 1));
    }
    out
}

/// The lines that can be folded.
pub(super) fn folds(value: &Value) -> String {
    let line = |fold: &Value, name: &str| fold[name].as_u64().unwrap_or_default() + 1;
    list(value).map(|fold| format!("lines {} to {}\n", line(fold, "startLine"), line(fold, "endLine"))).collect()
}

/// What is selected step by step, from the inside. What has several lines is shown as their number.
pub(super) fn selections(value: &Value, document: &str) -> String {
    let (start, end) = (position(&value["range"]["start"]), position(&value["range"]["end"]));
    let line = document.lines().nth(start.0).unwrap_or_default();
    let own = match start.0 == end.0 {
        true => line.chars().take(end.1).skip(start.1).collect::<String>(),
        false => format!("lines {} to {}", start.0 + 1, end.0 + 1),
    };
    let parent = &value["parent"];
    if parent.is_null() { format!("{own}\n") } else { format!("{own}\n{}", selections(parent, document)) }
}

/// The commands above lines.
pub(super) fn lenses(value: &Value) -> String {
    let one = |lens: &Value| {
        let command = &lens["command"];
        let arguments: Vec<&str> = list(&command["arguments"]).map(text).collect();
        let line = position(&lens["range"]["start"]).0 + 1;
        format!(
            "above line {line}: {} ({} {})\n",
            text(&command["title"]),
            text(&command["command"]),
            arguments.join(" ")
        )
    };
    list(value).map(one).collect()
}

/// A text with edits.
pub(super) fn edited(document: &str, edits: &[&Value]) -> String {
    let lines: Vec<&str> = document.split_inclusive('\n').collect();
    let offset = |place: &Value| {
        let (line, column) = position(place);
        lines.iter().take(line).map(|line| line.len()).sum::<usize>() + column
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]), text(&edit["newText"])))
        .collect();
    edits.sort_unstable();
    let mut document = document.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        document.replace_range(start..end, new);
    }
    document
}

/// The lines that are only in one of two texts.
pub(super) fn difference(before: &str, after: &str) -> String {
    let lines = |mark: char, own: &str, other: &str| {
        let own = own.lines().filter(|line| !other.lines().any(|same| same == *line));
        own.map(|line| format!("{mark} {line}\n")).collect::<String>()
    };
    lines('-', before, after) + &lines('+', after, before)
}
