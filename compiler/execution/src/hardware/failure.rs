//! Converts a probe's failures to diagnostics: what is wrong, and what to try.

use clef_base::{Code, Diagnostic, codes};
use clef_descriptors::Board;
use clef_probe::{Doing, Failure, ProbeInformation};

/// The diagnostic of a failure on a board.
pub fn diagnostic(failure: &Failure, board: &Board) -> Diagnostic {
    match failure {
        Failure::Unsupported => unsupported(),
        Failure::NoProbe => no_probe(board),
        Failure::SeveralProbes(probes) => several(probes),
        Failure::BadSelector { selector } => general(codes::NO_PROBE, format!("invalid probe selector `{selector}`"))
            .help("use `VID:PID` or `VID:PID:SERIAL`, as listed by `clefc probes`"),
        Failure::ProbeNotFound { selector } => not_found(selector),
        Failure::NoPermission(probe) => permission(probe),
        Failure::Unopened { selector, causes } => {
            with(general(codes::PROBE_FAILED, format!("cannot open the probe `{selector}`")), causes)
                .help("close other programs that use the probe, or reconnect it")
        }
        Failure::UnknownChip { name, similar } => unknown_chip(name, similar, board),
        Failure::BadDescription { causes } => with(general(codes::UNKNOWN_CHIP, "invalid chip description"), causes)
            .help("pass a probe-rs target description in YAML to `--chip-description`"),
        Failure::NoChip { causes } => {
            with(general(codes::NO_CHIP, format!("the probe found no chip on `{}`", board.name)), causes)
                .help("check the power of the board, and the connections SWDIO, SWCLK and GND")
        }
        Failure::WrongChip { chip, expected, found } => {
            let message = format!("the connected chip is not the `{chip}` of `{}`", board.name);
            general(codes::WRONG_CHIP, message)
                .note(format!("its processor is a {found}, but a `{chip}` has one of these: {expected}"))
                .help("connect the right board, or select this one with `--board`; nothing was changed")
        }
        Failure::Protected { chip, causes } => {
            with(general(codes::CHIP_PROTECTED, format!("the `{chip}` is read-protected")), causes)
                .note("programming cannot be verified without reading back; nothing was changed")
                .help(format!("`clefc erase --board {}` erases the whole chip and unlocks it", board.name))
        }
        Failure::UnsuitableImage { chip, causes } => {
            with(general(codes::FLASH_FAILED, format!("the image does not match a `{chip}`")), causes)
                .help("compile it for the board that is connected")
        }
        Failure::Mismatch => {
            general(codes::VERIFY_FAILED, format!("verification of the flash of `{}` failed", board.name))
                .help(format!("{}, with a shorter cable or another power supply", try_again(board)))
                .note("the flash may be worn out")
        }
        Failure::Lost { doing, causes } => lost(*doing, causes, board),
        Failure::Broken { doing, causes } => broken(*doing, causes, board),
    }
}

/// The error if probes are not supported.
pub(super) fn unsupported() -> Diagnostic {
    general(codes::NO_PROBE_SUPPORT, "this `clefc` was built without support for debug probes")
        .help("build it with the feature `probe`, which is enabled by default")
}

fn general(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::general(code, message)
}

/// Adds the causes of a failure as notes.
fn with(diagnostic: Diagnostic, causes: &[String]) -> Diagnostic {
    causes.iter().fold(diagnostic, |diagnostic, cause| diagnostic.note(cause.trim().to_owned()))
}

fn no_probe(board: &Board) -> Diagnostic {
    let diagnostic = general(codes::NO_PROBE, "no debug probe is connected")
        .help("connect one by USB; `clefc probes` lists the connected probes")
        .help("select a probe on the network by its address: `--probe 1d50:6018:ADDRESS:PORT`");
    if board.uf2.is_none() {
        return diagnostic;
    }
    diagnostic
        .help("without a probe, copy the file that `clefc --format uf2` makes to the drive of the board's boot loader")
        .help("a descriptor with `console: { kind: uart }` shows what such a program prints, on the serial line")
}

fn several(probes: &[ProbeInformation]) -> Diagnostic {
    let diagnostic = general(codes::SEVERAL_PROBES, format!("{} debug probes are connected", probes.len()));
    let noted = probes
        .iter()
        .fold(diagnostic, |diagnostic, probe| diagnostic.note(format!("{}: {}", probe.selector, probe.name)));
    let first = probes.first().map_or("VID:PID:SERIAL", |probe| probe.selector.as_str());
    noted.help(format!("select one: `--probe {first}`"))
}

fn not_found(selector: &str) -> Diagnostic {
    let diagnostic = general(codes::NO_PROBE, format!("cannot find the debug probe `{selector}`"));
    // A serial number with a colon is an address.
    match selector.splitn(3, ':').nth(2).filter(|serial| serial.contains(':')) {
        Some(address) => diagnostic.help(format!("check the address, and that the server listens at {address}")),
        None => diagnostic.help("check that it is connected: `clefc probes` lists the connected probes"),
    }
}

/// The error if the user has no permission to use a probe.
pub fn permission(probe: &ProbeInformation) -> Diagnostic {
    let (vendor, product) = probe.usb;
    let rule = format!(
        "SUBSYSTEMS==\"usb\", ATTRS{{idVendor}}==\"{vendor:04x}\", ATTRS{{idProduct}}==\"{product:04x}\", MODE=\"0660\", TAG+=\"uaccess\""
    );
    general(
        codes::PROBE_PERMISSION,
        format!("no permission to use the debug probe `{}` ({})", probe.selector, probe.name),
    )
    .help(format!("add this line to /etc/udev/rules.d/70-clefc-probes.rules: {rule}"))
    .help("then run `sudo udevadm control --reload && sudo udevadm trigger`, and reconnect the probe")
}

fn unknown_chip(name: &str, similar: &[String], board: &Board) -> Diagnostic {
    let message = format!("unknown chip `{name}` of `{}`", board.name);
    let diagnostic = general(codes::UNKNOWN_CHIP, message);
    let diagnostic = if similar.is_empty() {
        diagnostic
    } else {
        diagnostic.help(format!("similar names are: {}", similar.join(", ")))
    };
    diagnostic.help("describe it in a file, and pass the file with `--chip-description`")
}

fn lost(doing: Doing, causes: &[String], board: &Board) -> Diagnostic {
    let message = format!("the connection to the debug probe was lost while {doing}");
    let diagnostic = with(general(codes::PROBE_LOST, message), causes);
    let diagnostic = match doing {
        Doing::Preparing | Doing::Erasing | Doing::Programming | Doing::Verifying => {
            diagnostic.note(format!("the flash of `{}` may contain only a part of the image", board.name))
        }
        Doing::Connecting | Doing::Comparing | Doing::Resetting | Doing::Running => diagnostic,
    };
    diagnostic.help("check the connection of the probe, and try again")
}

fn broken(doing: Doing, causes: &[String], board: &Board) -> Diagnostic {
    let code = match doing {
        Doing::Preparing | Doing::Erasing | Doing::Programming | Doing::Verifying => codes::FLASH_FAILED,
        Doing::Connecting | Doing::Comparing | Doing::Resetting | Doing::Running => codes::PROBE_FAILED,
    };
    with(general(code, format!("{doing} failed on `{}`", board.name)), causes).help(try_again(board))
}

/// What to try after a failure that another chip than that of the board also leads to.
fn try_again(board: &Board) -> String {
    let chip = board.chip.as_ref().map_or_else(String::new, |chip| format!(", with the chip `{chip}`"));
    format!("check that the connected board is a `{}`{chip}; power-cycle it, and try again", board.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(serial: &str) -> ProbeInformation {
        ProbeInformation {
            name: "J-Link".to_owned(),
            kind: "J-Link".to_owned(),
            selector: format!("1366:1051:{serial}"),
            usb: (0x1366, 0x1051),
            serial: Some(serial.to_owned()),
            is_permitted: false,
        }
    }

    #[test]
    fn several_probes_are_listed() {
        let diagnostic = several(&[probe("A"), probe("B")]);
        assert_eq!(diagnostic.notes, ["1366:1051:A: J-Link", "1366:1051:B: J-Link"]);
        assert_eq!(diagnostic.proposals[0].message, "select one: `--probe 1366:1051:A`");
    }

    #[test]
    fn a_permission_comes_with_its_rule() {
        let help = &permission(&probe("A")).proposals[0].message;
        assert!(help.contains("ATTRS{idVendor}==\"1366\", ATTRS{idProduct}==\"1051\""), "{help}");
    }

    #[test]
    fn an_address_is_told_from_a_serial_number() {
        let help = |selector| not_found(selector).proposals[0].message.clone();
        assert!(help("1d50:6018:127.0.0.1:4000").contains("listens at 127.0.0.1:4000"));
        assert!(help("1d50:6018:ABC").contains("clefc probes"));
    }
}
