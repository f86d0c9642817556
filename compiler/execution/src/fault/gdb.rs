//! What GDB does when a program traps whose image does not report that itself.
//!
//! In: an image. Out: commands of GDB, which stop at such a trap, print its report, and show the calls. They need no
//! scripting language, which not every GDB has.

use super::{
    cortex_m,
    stopped::{ACTIVE, ARCHITECTURE, BFAR, CPUID, FAULT_STATUS, ICSR, LARGEST_FRAME, MMFAR, STACK_LIMIT},
};
use clef_image::{Site, Sites};
use clef_runtime::FAULT_STOP;
use clef_types::trap::{TrapCause, stop};
use std::fmt::Write as _;

/// The commands for an image; nothing if it reports its traps itself.
pub fn commands(image: &[u8]) -> Option<String> {
    let elf = clef_image::parse(image).ok()?;
    elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(FAULT_STOP))?;
    let sites = Sites::of(&elf, image);
    let mut commands = String::from("define clef-site\n");
    for (number, site) in (1_u64..).map_while(|number| Some((number, sites.number(number)?))) {
        let _ = writeln!(commands, "if $arg0 == {number}\necho {}\nend", escaped(&site.place));
    }
    commands += "end\ndefine clef-text\neval \"printf \\\"%%.%us\\\", (char *) %u\", $arg1, $arg0\nend\n";
    let _ = writeln!(commands, "break {FAULT_STOP}\ncommands\nsilent\n{FRAME}");
    let _ = writeln!(commands, "if $clef_code == {:#x}\n{REGIONS}\nend", udf(stop::EXHAUSTED));
    let _ = writeln!(commands, "if $clef_code == {:#x}\n{MESSAGE_AT}\nend", udf(stop::MESSAGE_AT));
    for (address, site) in sites.instructions() {
        let _ = writeln!(commands, "if $clef_frame[6] == {address:#x}\n{}set $clef_known = 1\nend", report(site));
    }
    let _ = writeln!(commands, "if !$clef_known\n{}end\nbacktrace\nend", fault());
    Some(commands)
}

/// Commands that report a fault of the processor.
fn fault() -> String {
    let (overflow, other) = (TrapCause::StackOverflow.message(), TrapCause::ProcessorFault.message());
    let mut commands = format!(
        "set $clef_exception = *(unsigned int *) {ICSR:#x} & {ACTIVE:#x}\nset $clef_status = 0\n\
         set $clef_has_status = (*(unsigned int *) {CPUID:#x} & {ARCHITECTURE:#x}) == {ARCHITECTURE:#x}\n\
         if $clef_has_status\nset $clef_status = *(unsigned int *) {FAULT_STATUS:#x}\nend\n\
         if $sp < (unsigned int) &__clef_stack_bottom + {LARGEST_FRAME} || $clef_status & {STACK_LIMIT:#x}\n\
         echo trap: {overflow}\\n\nelse\necho trap: {other}\\n\nend\n"
    );
    for (bit, cause) in cortex_m::CAUSES {
        let _ = writeln!(commands, "if $clef_status & {:#x}\nprintf \"  {cause}\"", 1_u32 << bit);
        // The registers with the address of a memory or a bus fault, and the bits that say that they are valid.
        for (valid, register) in [(0x80_u32, MMFAR), (0x8000, BFAR)] {
            let _ = writeln!(commands, "if $clef_status & {valid:#x}");
            let _ = writeln!(commands, "printf \", at address 0x%08x\", *(unsigned int *) {register:#x}\nend");
        }
        commands += "echo \\n\nend\n";
    }
    for exception in 2..FIRST_INTERRUPT {
        let name = cortex_m::name(exception);
        let _ = writeln!(commands, "if $clef_exception == {exception} && !$clef_status\nprintf \"  {name}\\n\"\nend");
    }
    let _ = writeln!(commands, "if $clef_exception >= {FIRST_INTERRUPT}");
    let _ = writeln!(commands, "printf \"  the unhandled interrupt %u\\n\", $clef_exception - {FIRST_INTERRUPT}\nend");
    commands += "if $clef_has_status\n";
    for (index, register) in cortex_m::STATUS.iter().enumerate() {
        let address = FAULT_STATUS + 4 * index as u64;
        let _ = writeln!(commands, "printf \"  {register} 0x%08x\", *(unsigned int *) {address:#x}");
    }
    commands += "echo \\n\nend\n";
    commands
}

/// The number of the exception of the first interrupt.
const FIRST_INTERRUPT: u64 = 16;

/// The exception frame, and the instruction at which the program stopped, if it is an undefined one.
const FRAME: &str = "\
set $clef_frame = (unsigned int *) $sp
set $clef_code = *(unsigned short *) $clef_frame[6]
set $clef_known = 0";

/// The message in memory, at a site whose number is in a register.
const MESSAGE_AT: &str = r#"printf "trap: "
clef-text $clef_frame[0] $clef_frame[1]
printf " at "
clef-site $clef_frame[2]
printf "\n"
set $clef_known = 1"#;

const REGIONS: &str = r#"set $clef_region = (unsigned int *) $clef_frame[0]
printf "trap: regions exhausted at "
clef-site $clef_frame[1]
printf "\n%u bytes asked, %u bytes left in the pool", $clef_frame[2], $clef_frame[3]
if $clef_frame[0]
printf "; %u bytes in this region", $clef_region[5]
if $clef_region[7]
printf ", which begins at "
clef-site $clef_region[7]
else
printf ", the program's own"
end
end
printf "\n"
set $clef_known = 1"#;

/// The encoding of an undefined instruction.
fn udf(code: u8) -> u16 {
    0xde00 | u16::from(code)
}

/// Commands that report the trap of a site.
fn report(site: &Site) -> String {
    let place = escaped(&site.place);
    if !site.message.is_empty() {
        return format!("echo trap: {} at {place}\\n\n", escaped(&site.message));
    }
    let (text, message) = (udf(stop::TEXT), "clef-text $clef_frame[0] $clef_frame[1]\n");
    format!(
        "printf \"trap: \"\nif $clef_code == {text:#x}\necho \"\n{message}echo \"\nclef-text $clef_frame[2] $clef_frame[3]\n\
         else\n{message}end\nprintf \" at \"\necho {place}\\n\n"
    )
}

/// A text for `echo`.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| if c == '\\' { vec![c, c] } else { vec![c] }).collect()
}
