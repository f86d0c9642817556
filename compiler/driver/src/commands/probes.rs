//! `clefc probes`: lists the connected debug probes.

use crate::{cli::Probes, commands::Outcome};
use clef_base::internal::bug;
use clef_execution::hardware;
use clef_host::output;
use clef_probe::ProbeInformation;
use serde_json::{Value, json};

/// Lists them, each with the string that selects it.
pub(crate) fn probes(options: &Probes) -> Outcome {
    let probes = hardware::probes()?;
    output::print(&if options.json { as_json(&probes) } else { text(&probes) })?;
    Ok(0)
}

fn text(probes: &[ProbeInformation]) -> String {
    if probes.is_empty() {
        return "no debug probe connected by USB\n".to_owned();
    }
    let width = probes.iter().map(|probe| probe.selector.len()).max().unwrap_or(0);
    let line = |probe: &ProbeInformation| {
        let permitted = if probe.is_permitted { "" } else { ", no permission: see `clefc doctor`" };
        format!("{:width$}  {} ({}){permitted}\n", probe.selector, probe.name, probe.kind)
    };
    probes.iter().map(line).collect()
}

fn as_json(probes: &[ProbeInformation]) -> String {
    let value = |probe: &ProbeInformation| -> Value {
        json!({
            "selector": probe.selector,
            "name": probe.name,
            "kind": probe.kind,
            "serial": probe.serial,
            "permitted": probe.is_permitted,
        })
    };
    match serde_json::to_string_pretty(&probes.iter().map(value).collect::<Vec<_>>()) {
        Ok(text) => text + "\n",
        Err(error) => bug("probes", None, format!("a list of probes is always valid JSON: {error}")),
    }
}
