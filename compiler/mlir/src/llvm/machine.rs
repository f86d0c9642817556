//! Machines: what LLVM needs to know of the target to generate code for it.

use super::{debug, stack_arguments::Family};
use inkwell::{
    OptimizationLevel,
    targets::{
        CodeModel as LlvmCodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetMachineOptions,
        TargetTriple,
    },
};

use super::Level;
use crate::Fault;
use clef_base::internal::bug;
use std::{
    ffi::{CStr, c_char},
    sync::Once,
};
use target_lexicon::{Architecture, ArmArchitecture, OperatingSystem, Triple};

/// How far apart code and data may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeModel {
    /// What LLVM assumes for the target.
    Default,
    /// Within the lowest, or nearest, two gigabytes.
    Small,
    /// Within the highest two gigabytes of the address space.
    Kernel,
    /// Data may be anywhere.
    Medium,
    /// Code and data may be anywhere.
    Large,
}

/// A target of code generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The triple; `eabi` or `eabihf` decides whether ARM passes floats in their own registers.
    pub triple: String,
    /// The processor, as LLVM names it.
    pub cpu: String,
    /// Features beyond the processor's, such as `+soft-float,-fp64`.
    pub features: String,
    /// How far apart code and data may be.
    pub code_model: CodeModel,
    /// Whether the image may be loaded at any address.
    pub position_independent: bool,
}

/// An instruction set, as far as differences matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionSet {
    Aarch64,
    /// Of 32 bits, except [`InstructionSet::Armv6M`].
    Arm,
    Armv6M,
    X86_64,
    Other,
}

/// How a machine lays out data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// LLVM's data-layout string.
    pub text: String,
    /// Width of a pointer.
    pub pointer_bits: u32,
    /// Whether the least significant byte comes first.
    pub little_endian: bool,
}

impl Machine {
    /// How the machine lays out data.
    pub fn data_layout(&self) -> Result<DataLayout, Fault> {
        let data = self.target_machine(Level::O0)?.get_target_data();
        let text = data.get_data_layout().as_str().to_string_lossy().into_owned();
        Ok(DataLayout {
            little_endian: text.starts_with('e'),
            pointer_bits: data.get_pointer_byte_size(None) * 8,
            text,
        })
    }

    /// The family of a processor on which stack arguments of the tail-call convention are freed wrongly: all of Arm
    /// except ARMv6-M, whose callees leave their arguments to the caller.
    ///
    /// Tail calls in LLVM 22.1.8, as tested:
    /// - On x86-64, AArch64 and Thumb-2 each marked call becomes a jump, also at [`Level::O0`], direct or not, of equal
    ///   arity or not, as long as the result fits the registers.
    /// - On ARMv6-M none does, at any level and by any convention, and `musttail` stops the compiler, so a program
    ///   needs a loop or a trampoline.
    /// - On ARMv8-M baseline each does, but stack arguments are lost: it needs the trampoline too.
    pub(super) fn frees_stack_arguments_wrongly(&self) -> Option<Family> {
        match self.instruction_set() {
            InstructionSet::Aarch64 => Some(Family::Aarch64),
            InstructionSet::Arm => Some(Family::Arm),
            InstructionSet::Armv6M | InstructionSet::X86_64 | InstructionSet::Other => None,
        }
    }

    /// Whether it is a Cortex-M core.
    pub(super) fn is_cortex_m(&self) -> bool {
        matches!(self.instruction_set(), InstructionSet::Arm | InstructionSet::Armv6M)
    }

    /// Whether interrupts push onto the program's stack on a processor whose convention lets functions use memory below
    /// the stack pointer: x86-64 without an operating system.
    pub(super) fn interrupts_use_the_stack(&self) -> bool {
        self.instruction_set() == InstructionSet::X86_64 && self.parts().operating_system == OperatingSystem::None_
    }

    /// The instruction set that the triple names.
    pub(super) fn instruction_set(&self) -> InstructionSet {
        let architecture = self.parts().architecture;
        if let Architecture::Aarch64(_) = architecture {
            InstructionSet::Aarch64
        } else if architecture == Architecture::X86_64 {
            InstructionSet::X86_64
        } else if architecture == Architecture::Arm(ArmArchitecture::Thumbv6m) {
            InstructionSet::Armv6M
        } else if let Architecture::Arm(_) = architecture {
            InstructionSet::Arm
        } else {
            InstructionSet::Other
        }
    }

    /// The parts of the triple; unknown ones if nothing is known of its architecture.
    fn parts(&self) -> Triple {
        self.triple.parse().unwrap_or_else(|_| Triple::unknown())
    }

    pub(super) fn target_machine(&self, level: Level) -> Result<TargetMachine, Fault> {
        initialise();
        // LLVM recognises the environment of a triple, such as `eabihf`, only if the triple has all four parts.
        // Otherwise it calls the double-precision routines of ARM by the wrong convention.
        let triple = TargetMachine::normalize_triple(&TargetTriple::create(&self.triple));
        let target = Target::from_triple(&triple).map_err(|message| Fault::new(message.to_string()))?;
        let options = TargetMachineOptions::new()
            .set_cpu(&self.cpu)
            .set_features(&self.features)
            .set_level(match level {
                Level::O0 | Level::Og => OptimizationLevel::None,
                Level::O1 => OptimizationLevel::Less,
                Level::O2 | Level::Os | Level::Oz => OptimizationLevel::Default,
                Level::O3 => OptimizationLevel::Aggressive,
            })
            .set_reloc_mode(if self.position_independent { RelocMode::PIC } else { RelocMode::Static })
            .set_code_model(match self.code_model {
                CodeModel::Default => LlvmCodeModel::Default,
                CodeModel::Small => LlvmCodeModel::Small,
                CodeModel::Kernel => LlvmCodeModel::Kernel,
                CodeModel::Medium => LlvmCodeModel::Medium,
                CodeModel::Large => LlvmCodeModel::Large,
            });
        let machine = target
            .create_target_machine_from_options(&triple, options)
            .ok_or_else(|| Fault::new(format!("LLVM has no target machine for `{}`", self.triple)))?;
        debug::frames(&machine);
        Ok(machine)
    }
}

/// LLVM options that its API has no other way to set.
const OPTIONS: [(&CStr, &CStr); 5] = [
    // The work for each instruction of a very long block: the scheduler compares each memory access with 200 others rather
    // than 1,000, which made a long list of constants take seconds; instruction selection looks back over 1,000 nodes
    // rather than 8,192.
    (c"dag-maps-huge-region", c"200"),
    (c"has-predecessor-max-steps", c"1000"),
    // Loops that contain loops are peeled as well, which removes the test for the first element of a sequence from each
    // iteration.
    (c"unroll-allow-loop-nests-peeling", c"true"),
    // Strength reduction is dropped where the loop without it needs fewer registers or instructions; on x86-64 registers
    // count first.
    (c"lsr-drop-solution", c"true"),
    (c"lsr-insns-cost", c"false"),
];

unsafe extern "C" {
    fn clef_set_option(name: *const c_char, value: *const c_char) -> bool;
}

static SET: Once = Once::new();

pub(super) fn initialise() {
    SET.call_once(|| {
        for (name, value) in OPTIONS {
            // SAFETY: the texts are constants. No other thread uses LLVM's options earlier, since each use of a machine
            // begins here.
            if !unsafe { clef_set_option(name.as_ptr(), value.as_ptr()) } {
                bug("llvm", None, format!("there is no option {name:?}"));
            }
        }
    });
    let config = InitializationConfig::default();
    Target::initialize_arm(&config);
    Target::initialize_aarch64(&config);
    Target::initialize_x86(&config);
}
