//! The pages of the commands and of the diagnostics.

use crate::cli::CommandLine;
use clap::{Arg, CommandFactory};
use clef_base::codes;
use clef_documentation::site::{Command, Parameter, Site, TextPage};

/// Adds them.
pub(super) fn add(site: &mut Site<'_>) {
    let mut line = CommandLine::command();
    line.build();
    let mut commands = vec![command(&mut line.clone(), "clefc")];
    for one in line.get_subcommands_mut().filter(is_shown) {
        let name = one.get_name().to_owned();
        commands.push(command(one, &name));
        for inner in one.get_subcommands_mut().filter(is_shown) {
            let inner_name = format!("{name} {}", inner.get_name());
            commands.push(command(inner, &inner_name));
        }
    }
    site.commands(
        "Commands",
        "commands",
        "What `clefc` can do; `clefc man` writes the same as manual pages.",
        commands,
    );
    let page = |(code, text): &(clef_base::Code, &str)| TextPage {
        path: format!("diagnostics/{}.html", code.0),
        title: code.0.to_owned(),
        text: (*text).to_owned(),
    };
    let introduction =
        "Every diagnostic has a code, in brackets at its start. `clefc explain CODE` prints these pages.";
    site.listed_pages("Diagnostics", "diagnostics", introduction, codes::PAGES.iter().map(page).collect());
}

/// Whether a command has a page: not those that print help.
fn is_shown(command: &&mut clap::Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn command(command: &mut clap::Command, name: &str) -> Command {
    let text = |styled: Option<&clap::builder::StyledStr>| styled.map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    Command {
        name: name.to_owned(),
        about: text(command.get_long_about().or(command.get_about())),
        usage: usage.trim_start_matches("Usage: ").to_owned(),
        parameters: command.get_arguments().filter(|one| !one.is_hide_set()).map(parameter).collect(),
        after: text(command.get_after_long_help().or(command.get_after_help())),
    }
}

fn parameter(argument: &Arg) -> Parameter {
    let mut about = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        about.push_str(&format!(" ({})", values.join(", ")));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        about.push_str(&format!(" [default: {}]", defaults.join(", ")));
    }
    let short = argument.get_short().filter(|_| argument.get_long().is_some());
    let written = match short {
        Some(short) => format!("-{short}, {argument}"),
        None => argument.to_string(),
    };
    Parameter { written, about }
}
