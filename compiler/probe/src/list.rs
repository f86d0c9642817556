//! The connected probes.

use crate::{failure::Failure, model::ProbeInformation};
use probe_rs::probe::{
    DebugProbeSelector,
    list::{Accessibility, Lister, ProbeListItem},
};
use std::path::Path;

/// Where Linux lists serial ports.
const SERIAL_PORTS: &str = "/sys/class/tty";

impl From<ProbeListItem> for ProbeInformation {
    fn from(ProbeListItem { info, accessibility }: ProbeListItem) -> ProbeInformation {
        ProbeInformation {
            kind: info.probe_type(),
            selector: DebugProbeSelector::from(&info).to_string(),
            usb: (info.vendor_id, info.product_id),
            is_permitted: accessibility == Accessibility::Accessible,
            name: info.identifier,
            serial: info.serial_number,
        }
    }
}

/// All probes connected by USB; `None` without support for them.
pub fn list() -> Option<Vec<ProbeInformation>> {
    Some(connected())
}

fn connected() -> Vec<ProbeInformation> {
    found(None)
}

/// The probes that a selector matches. Without `/sys`, as in a bare root, nothing is connected, and the search for
/// serial ports panics.
fn found(selector: Option<&DebugProbeSelector>) -> Vec<ProbeInformation> {
    if cfg!(target_os = "linux") && !Path::new(SERIAL_PORTS).is_dir() {
        return Vec::new();
    }
    Lister::new().list_with_access(selector).into_iter().map(ProbeInformation::from).collect()
}

/// The selector of the probe to use: the selected one, or the only one.
pub(crate) fn choose(selector: Option<&str>) -> Result<DebugProbeSelector, Failure> {
    let selector = match selector {
        Some(selector) => selector.to_owned(),
        None => only(connected())?.selector,
    };
    let parsed: DebugProbeSelector =
        selector.parse().map_err(|_| Failure::BadSelector { selector: selector.clone() })?;
    match found(Some(&parsed)).into_iter().find(|probe| !probe.is_permitted) {
        Some(forbidden) => Err(Failure::NoPermission(forbidden)),
        None => Ok(parsed),
    }
}

fn only(mut probes: Vec<ProbeInformation>) -> Result<ProbeInformation, Failure> {
    match (probes.pop(), probes.is_empty()) {
        (None, _) => Err(Failure::NoProbe),
        (Some(probe), true) => Ok(probe),
        (Some(last), false) => {
            probes.push(last);
            Err(Failure::SeveralProbes(probes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(serial: &str) -> ProbeInformation {
        ProbeInformation {
            name: "probe".to_owned(),
            kind: "probe".to_owned(),
            selector: format!("1d50:6018:{serial}"),
            usb: (0x1d50, 0x6018),
            serial: Some(serial.to_owned()),
            is_permitted: true,
        }
    }

    #[test]
    fn one_probe_is_taken_and_several_are_shown() {
        assert_eq!(only(Vec::new()), Err(Failure::NoProbe));
        assert_eq!(only(vec![probe("A")]), Ok(probe("A")));
        assert_eq!(only(vec![probe("A"), probe("B")]), Err(Failure::SeveralProbes(vec![probe("A"), probe("B")])));
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        assert_eq!(choose(Some("my probe")), Err(Failure::BadSelector { selector: "my probe".to_owned() }));
    }
}
