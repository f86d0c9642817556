//! The names of sections that a program may choose for its functions and values.

/// Prefixes of section names that are reserved for the compiler or the linker; sorted.
const RESERVED: &[&str] = &[
    "ARM",
    "bss",
    "clef",
    "comment",
    "data",
    "eh_frame",
    "fini_array",
    "gcc_except_table",
    "got",
    "group",
    "init_array",
    "note",
    "pool",
    "preinit_array",
    "rel",
    "rela",
    "rodata",
    "shstrtab",
    "stack",
    "stack_sizes",
    "strtab",
    "symtab",
    "tbss",
    "tdata",
    "text",
    "vectors",
];

/// Whether a name consists of a dot and words, and is none of the sections that the linker script fills itself.
pub fn is_free_section(name: &str) -> bool {
    let Some(name) = name.strip_prefix('.') else { return false };
    let is_written = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let first = name.split('.').next().unwrap_or_default();
    !RESERVED.contains(&first) && !first.starts_with("debug") && name.split('.').all(is_written)
}
