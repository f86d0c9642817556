//! The calling convention of functions that need no guaranteed tail calls.
//!
//! In: an optimised program, whose functions have the tail-call convention, and whose tail calls are directly before
//! returns. Out: those that cannot be on a cycle of tail calls, and whose every call is known, have LLVM's fast
//! convention: its calls do not adjust the stack. A tail call from or to such a function may keep the frame of its
//! caller, but only as often as the program has functions.
//!
//! In a program whose closures free themselves, cold functions have `preserve_mostcc`.

use clef_base::{HashMap, HashSet, strongly_connected_components};
use inkwell::{
    llvm_sys::LLVMTailCallKind,
    module::{Linkage, Module as LlvmModule},
    values::{AsValueRef as _, CallSiteValue, FunctionValue},
};

use super::{
    Machine,
    attributes::has,
    calls::address_is_taken,
    machine::InstructionSet,
    stack_arguments::instruction_of,
    tail_position::{TAILCC, leaves_frame},
};

/// LLVM's number of `ccc`.
const C: u32 = 0;

/// LLVM's number of `fastcc`.
const FASTCC: u32 = 8;

/// LLVM's number of `preserve_mostcc`, whose callees preserve almost all registers.
const PRESERVE_MOST: u32 = 14;

/// The runtime's function that frees a closure outside of the last page of its region.
const POP_BEFORE: &str = "clef_region_pop_before";

/// Gives functions the fast convention.
pub(super) fn relax(program: &LlvmModule<'_>) {
    let functions: Vec<FunctionValue<'_>> = program.get_functions().filter(is_candidate).collect();
    let on_cycle = on_cycles(&functions);
    let mut callers: HashMap<_, Vec<CallSiteValue<'_>>> = HashMap::default();
    for call in program.get_functions().flat_map(calls) {
        if let Some(callee) = call.get_called_fn_value() {
            callers.entry(callee.as_value_ref()).or_default().push(call);
        }
    }
    for (function, _) in functions.iter().zip(on_cycle).filter(|(_, on_cycle)| !on_cycle) {
        let is_local = matches!(function.get_linkage(), Linkage::Internal | Linkage::Private);
        if !is_local || address_is_taken(*function) || calls(*function).any(is_required) {
            continue;
        }
        let callers = callers.remove(&function.as_value_ref()).unwrap_or_default();
        if !callers.iter().copied().any(is_required) {
            function.set_call_conventions(FASTCC);
            callers.iter().for_each(|call| call.set_call_convention(FASTCC));
        }
    }
}

/// Lets the functions that are seldom called preserve the registers that they use, in a program whose closures free themselves: all
/// code of such a closure may call them, and nothing else in it needs a frame.
pub(super) fn spare_frames(program: &LlvmModule<'_>, machine: &Machine) {
    let knows_convention = matches!(machine.instruction_set(), InstructionSet::Aarch64 | InstructionSet::X86_64);
    if !knows_convention || program.get_function(POP_BEFORE).is_none() {
        return;
    }
    let seldom_called = |function: &FunctionValue<'_>| {
        let is_local = matches!(function.get_linkage(), Linkage::Internal | Linkage::Private);
        // LLVM replaces the convention of C by its fast one.
        let is_plain = matches!(function.get_call_conventions(), C | FASTCC);
        is_local && is_plain && has(*function, "cold") && !has(*function, "noreturn") && !address_is_taken(*function)
    };
    let functions: HashSet<_> =
        program.get_functions().filter(seldom_called).map(|function| function.as_value_ref()).collect();
    for function in program.get_functions() {
        if functions.contains(&function.as_value_ref()) {
            function.set_call_conventions(PRESERVE_MOST);
        }
        for call in calls(function) {
            if call.get_called_fn_value().is_some_and(|callee| functions.contains(&callee.as_value_ref())) {
                call.set_call_convention(PRESERVE_MOST);
            }
        }
    }
}

fn is_candidate(function: &FunctionValue<'_>) -> bool {
    function.get_call_conventions() == TAILCC && function.count_basic_blocks() > 0
}

/// For each function, whether it can be on a cycle of tail calls.
fn on_cycles(functions: &[FunctionValue<'_>]) -> Vec<bool> {
    let index: HashMap<_, usize> =
        functions.iter().enumerate().map(|(index, function)| (function.as_value_ref(), index)).collect();
    // The last node represents all functions whose address is taken.
    let unknown = functions.len();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); unknown + 1];
    for (caller, function) in functions.iter().enumerate() {
        if address_is_taken(*function) {
            edges[unknown].push(caller);
        }
        for call in calls(*function).filter(|&call| leaves_frame(instruction_of(call))) {
            match call.get_called_fn_value() {
                Some(callee) => edges[caller].extend(index.get(&callee.as_value_ref())),
                None => edges[caller].push(unknown),
            }
        }
    }
    let components = strongly_connected_components(&edges);
    let mut members = vec![0_usize; edges.len()];
    components.iter().for_each(|&component| members[component] += 1);
    (0..functions.len()).map(|node| members[components[node]] > 1 || edges[node].contains(&node)).collect()
}

/// Whether a call must be a jump for LLVM.
fn is_required(call: CallSiteValue<'_>) -> bool {
    matches!(call.get_tail_call_kind(), LLVMTailCallKind::LLVMTailCallKindMustTail)
}

/// The calls in a function.
pub(super) fn calls<'c>(function: FunctionValue<'c>) -> impl Iterator<Item = CallSiteValue<'c>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter_map(|instruction| CallSiteValue::try_from(instruction).ok())
}
