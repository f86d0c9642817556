//! A plugin of QEMU that counts the instructions that a machine with one processor executes.
//!
//! When QEMU translates a block, an addition is put before each of its instructions; at the end the sum is printed to
//! standard error, as `instructions: N`. The count is exact, and the same in each run of a deterministic program.
//!
//! Debian ships no header of the plugin interface, so that its functions are declared here, as `qemu-plugin.h` of version
//! 7.2 has them. QEMU exports them to what it loads.

use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
    sync::atomic::{AtomicU64, Ordering},
};

/// The number by which QEMU knows this plugin.
type PluginId = u64;

/// A block of instructions that is being translated.
#[repr(C)]
struct Block {
    opaque: [u8; 0],
}

/// An instruction of a block.
#[repr(C)]
struct Instruction {
    opaque: [u8; 0],
}

/// `QEMU_PLUGIN_INLINE_ADD_U64`: the only operation that can be put before an instruction.
const INLINE_ADD: c_int = 0;

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: PluginId, translated: extern "C" fn(PluginId, *mut Block));
    fn qemu_plugin_register_atexit_cb(id: PluginId, ended: extern "C" fn(PluginId, *mut c_void), data: *mut c_void);
    fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const Block, index: usize) -> *mut Instruction;
    fn qemu_plugin_register_vcpu_insn_exec_inline(
        instruction: *mut Instruction,
        operation: c_int,
        counter: *mut c_void,
        addend: u64,
    );
}

/// The version of the interface that this plugin was written for.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "QEMU looks for this name")]
pub static qemu_plugin_version: c_int = 1;

/// The instructions so far; QEMU's translated code adds to it.
static COUNT: AtomicU64 = AtomicU64::new(0);

extern "C" fn translated(_: PluginId, block: *mut Block) {
    // SAFETY: the block and its instructions are QEMU's and live during this call; the counter lives as long as the process.
    unsafe {
        for index in 0..qemu_plugin_tb_n_insns(block) {
            let instruction = qemu_plugin_tb_get_insn(block, index);
            qemu_plugin_register_vcpu_insn_exec_inline(instruction, INLINE_ADD, COUNT.as_ptr().cast(), 1);
        }
    }
}

extern "C" fn ended(_: PluginId, _: *mut c_void) {
    eprintln!("instructions: {}", COUNT.load(Ordering::Relaxed));
}

/// QEMU calls this function when it has loaded the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn qemu_plugin_install(id: PluginId, _: *const c_void, _: c_int, _: *const *const c_char) -> c_int {
    // SAFETY: the identifier is the one that QEMU gave, and the functions live as long as the process.
    unsafe {
        qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
        qemu_plugin_register_atexit_cb(id, ended, ptr::null_mut());
    }
    0
}
