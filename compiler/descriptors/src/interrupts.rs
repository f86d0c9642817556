//! The interrupt controller of a board whose processor has none of its own.

use crate::{
    Address, Boot,
    board_schema::{Kinds, by_kind},
    reader::{FromNode, Report},
    yaml::Node,
};
use clef_base::{Diagnostic, Span, codes};
use serde::Serialize;

/// An interrupt controller that the runtime has a driver for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum InterruptController {
    /// Arm's Generic Interrupt Controller, version 2.
    Gicv2 {
        /// The first register of its distributor.
        distributor: Address,
        /// The first register of its interface to the processor.
        interface: Address,
        /// The number of its interrupts, including those of the processor.
        count: u32,
    },
    /// The I/O APIC of a PC, and the local APIC of the processor.
    Apic,
}

/// The inputs of a PC's I/O APIC (Intel 82093AA data sheet).
const APIC_INPUTS: u32 = 24;

/// The most interrupts of a GIC, and the multiple in which it has them (Arm IHI 0048B, 4.3.2).
const MOST_OF_GIC: u32 = 1020;
const STEP_OF_GIC: u32 = 32;

/// The boot code maps the addresses below this one as devices.
const MAPPED: u64 = 1 << 30;

impl InterruptController {
    /// The number of its interrupts.
    pub fn count(&self) -> u32 {
        match *self {
            InterruptController::Gicv2 { count, .. } => count,
            InterruptController::Apic => APIC_INPUTS,
        }
    }

    /// The number of the timer's interrupt: on AArch64 that of the virtual timer (Arm Base System Architecture, 3.8.1); in the local
    /// APIC the one after the inputs.
    pub fn timer(&self) -> u32 {
        match self {
            InterruptController::Gicv2 { .. } => 27,
            InterruptController::Apic => APIC_INPUTS,
        }
    }

    /// Its name in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            InterruptController::Gicv2 { .. } => "gicv2",
            InterruptController::Apic => "apic",
        }
    }

    fn boot(&self) -> Boot {
        match self {
            InterruptController::Gicv2 { .. } => Boot::Aarch64,
            InterruptController::Apic => Boot::Pvh,
        }
    }
}

/// The controller, if a board that boots in this way can have it.
pub(crate) fn fit_controller(
    controller: Option<InterruptController>,
    boot: Option<Boot>,
    place: Span,
    report: &mut Report,
) -> Option<Option<InterruptController>> {
    let (Some(found), Some(boot)) = (controller, boot) else { return Some(controller) };
    if found.boot() == boot {
        return Some(controller);
    }
    let foreign = || format!("a board that boots in this way has no controller of the kind `{}`", found.kind());
    let (message, help) = match boot {
        Boot::CortexM => ("a Cortex-M has an interrupt controller of its own".to_owned(), "remove `interrupts`"),
        Boot::Linux => ("programs handle no interrupts on Linux".to_owned(), "remove `interrupts`"),
        Boot::Aarch64 => (foreign(), "describe its `gicv2`; without `interrupts`, programs handle no interrupts"),
        Boot::Pvh => (foreign(), "write `interrupts: { kind: apic }`"),
    };
    report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).help(help));
    None
}

impl FromNode for InterruptController {
    fn from_node(node: &Node, report: &mut Report) -> Option<InterruptController> {
        const KINDS: Kinds<InterruptController> = &[
            ("gicv2", |fields| {
                let distributor = fields.required::<Address>("distributor");
                let interface = fields.required::<Address>("interface");
                let count = fields.required::<u32>("count");
                let (distributor, interface, count) = (distributor?, interface?, count?);
                let invalid =
                    |place: Span, message: String| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message);
                for (key, address) in [("distributor", distributor), ("interface", interface)] {
                    if address.0 >= MAPPED || !address.0.is_multiple_of(4) {
                        let message = format!("the registers cannot be at {address}");
                        let place = fields.span(key);
                        fields.report().push(
                            invalid(place, message).note("the boot code maps the first gigabyte as memory of devices"),
                        );
                        return None;
                    }
                }
                let fits = (STEP_OF_GIC..=MOST_OF_GIC).contains(&count)
                    && (count.is_multiple_of(STEP_OF_GIC) || count == MOST_OF_GIC);
                if !fits {
                    let message = format!("a GIC cannot have {count} interrupts");
                    let place = fields.span("count");
                    fields.report().push(
                        invalid(place, message)
                            .note(format!("it has a multiple of {STEP_OF_GIC}, at most {MOST_OF_GIC}"))
                            .help("count the 32 interrupts of the processor too"),
                    );
                    return None;
                }
                Some(InterruptController::Gicv2 { distributor, interface, count })
            }),
            ("apic", |_| Some(InterruptController::Apic)),
        ];
        by_kind(node, "an interrupt controller", KINDS, report)
    }
}
