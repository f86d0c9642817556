//! GDB's requests, as traits of gdbstub.
//!
//! All breakpoints are hardware breakpoints, including those that GDB would put into memory: code is in flash.

use super::{
    architecture::{CoreRegisters, CortexM, Register},
    debuggee::Debuggee,
    watchpoints::Watchpoint,
};
use gdbstub::{
    common::Signal,
    target::{
        Target, TargetError, TargetResult,
        ext::{
            base::{
                BaseOps,
                single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps},
                singlethread::{
                    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
                    SingleThreadSingleStepOps,
                },
            },
            breakpoints::{
                Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
                SwBreakpoint, SwBreakpointOps, WatchKind,
            },
            memory_map::{MemoryMap, MemoryMapOps},
            monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln},
            target_description_xml_override::{TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps},
        },
    },
};
use probe_rs::Error;

/// Linux's error number for a bad address.
const BAD_ADDRESS: u8 = 14;

impl Target for Debuggee<'_, '_> {
    type Arch = CortexM;
    type Error = Error;

    fn base_ops(&mut self) -> BaseOps<'_, CortexM, Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(&mut self) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl MemoryMap for Debuggee<'_, '_> {
    fn memory_map_xml(&self, offset: u64, length: usize, part: &mut [u8]) -> TargetResult<usize, Self> {
        Ok(copy(&self.memory_map, offset, length, part))
    }
}

impl TargetDescriptionXmlOverride for Debuggee<'_, '_> {
    fn target_description_xml(
        &self,
        _: &[u8],
        offset: u64,
        length: usize,
        part: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(copy(&self.description, offset, length, part))
    }
}

/// Copies the requested part of a string, and returns its length.
fn copy(text: &str, offset: u64, length: usize, part: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..)).unwrap_or_default();
    let count = rest.len().min(length).min(part.len());
    part[..count].copy_from_slice(&rest[..count]);
    count
}

impl SingleThreadBase for Debuggee<'_, '_> {
    fn read_registers(&mut self, registers: &mut CoreRegisters) -> TargetResult<(), Self> {
        registers.0 = self.registers().map_err(TargetError::Fatal)?;
        Ok(())
    }

    fn write_registers(&mut self, registers: &CoreRegisters) -> TargetResult<(), Self> {
        self.set_registers(&registers.0).map_err(TargetError::Fatal)
    }

    fn read_addrs(&mut self, address: u32, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        let is_read = self.read(address.into(), bytes).map_err(TargetError::Fatal)?;
        if is_read { Ok(bytes.len()) } else { Err(TargetError::Errno(BAD_ADDRESS)) }
    }

    fn write_addrs(&mut self, address: u32, bytes: &[u8]) -> TargetResult<(), Self> {
        let is_written = self.write(address.into(), bytes).map_err(TargetError::Fatal)?;
        if is_written { Ok(()) } else { Err(TargetError::Errno(BAD_ADDRESS)) }
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for Debuggee<'_, '_> {
    fn read_register(&mut self, (): (), register: Register, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        let value = self.register(register).map_err(TargetError::Fatal)?;
        let count = value.len().min(bytes.len());
        bytes[..count].copy_from_slice(&value[..count]);
        Ok(count)
    }

    fn write_register(&mut self, (): (), register: Register, bytes: &[u8]) -> TargetResult<(), Self> {
        self.set_register(register, bytes).map_err(TargetError::Fatal)
    }
}

/// A processor has no signals.
impl SingleThreadResume for Debuggee<'_, '_> {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Error> {
        Debuggee::resume(self)
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Debuggee<'_, '_> {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Error> {
        Debuggee::step(self)
    }
}

impl Breakpoints for Debuggee<'_, '_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debuggee<'_, '_> {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add_breakpoint(address.into()))
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.remove_breakpoint(address.into()).map_err(TargetError::Fatal)
    }
}

impl HwBreakpoint for Debuggee<'_, '_> {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add_breakpoint(address.into()))
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.remove_breakpoint(address.into()).map_err(TargetError::Fatal)
    }
}

impl HwWatchpoint for Debuggee<'_, '_> {
    fn add_hw_watchpoint(&mut self, address: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.add_watchpoint(Watchpoint { kind, address, length }).map_err(TargetError::Fatal)
    }

    fn remove_hw_watchpoint(&mut self, address: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.remove_watchpoint(Watchpoint { kind, address, length }).map_err(TargetError::Fatal)
    }
}

impl MonitorCmd for Debuggee<'_, '_> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut output: ConsoleOutput<'_>) -> Result<(), Error> {
        if command.trim_ascii() != b"reset" {
            outputln!(
                output,
                "The only command is `monitor reset`, which resets the chip and halts it at its first instruction."
            );
            return Ok(());
        }
        self.reset()?;
        outputln!(
            output,
            "The chip is halted at its first instruction; `maintenance flush register-cache` updates the registers."
        );
        Ok(())
    }
}
