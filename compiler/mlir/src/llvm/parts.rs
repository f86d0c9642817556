//! Division of a large program into parts, which LLVM works on at the same time.
//!
//! In: a program. Out: its parts, each a sequence of functions. They depend on the program only, not on the number of
//! processors, so that equal programs become equal images. Functions that call each other are in the same part where
//! that is possible, and small functions are copied to the parts that call them, so that they can be inlined there.

use clef_base::{HashMap, HashSet};
use inkwell::{
    context::Context,
    llvm_sys::{
        core::{LLVMGetFirstGlobalAlias, LLVMGetFirstGlobalIFunc},
        prelude::{LLVMContextRef, LLVMModuleRef, LLVMValueRef},
    },
    module::Module as LlvmModule,
    values::{AsValueRef as _, FunctionValue},
};
use std::{
    ffi::{CString, c_char},
    ptr,
};

use super::{conventions::calls, passes::owned_message};
use crate::Fault;

/// The instructions of the smallest part: smaller ones would read more than they optimise, and the whole of a program of
/// that size is better optimised.
pub const PART_SIZE: usize = 60_000;

/// The largest number of parts.
const MOST_PARTS: usize = 16;

/// The instructions of the largest function that is copied to the parts that call it.
const LARGEST_COPIED: usize = 40;

/// How many calls away a copied function may be: a long chain of small functions is not copied to each part.
const DEEPEST_COPIED: usize = 2;

unsafe extern "C" {
    /// Reads a part; a null result comes with a message that LLVM frees. See `parts.cpp`.
    fn clef_llvm_read_part(
        context: LLVMContextRef,
        bitcode: *const c_char,
        size: usize,
        defined: *const *const c_char,
        defined_count: usize,
        copied: *const *const c_char,
        copied_count: usize,
        with_variables: bool,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;
}

/// A part of a program.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// The functions that it defines.
    defined: Vec<CString>,
    /// The functions of other parts that it may inline.
    copied: Vec<CString>,
    /// Whether it defines the variables.
    with_variables: bool,
}

/// A function with a body: its instructions, and the functions with a body that it calls, as indices.
struct Node<'c> {
    function: FunctionValue<'c>,
    instructions: usize,
    callees: Vec<usize>,
}

/// What parts know of the functions of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// How they are called.
    None,
    /// The bodies of small ones that they call.
    OfSmall,
}

/// The parts of a program, of at least `smallest` instructions; none if it is smaller than two of them, or has what
/// cannot be divided.
pub(super) fn divide(program: &LlvmModule<'_>, smallest: usize, copies: Copies) -> Vec<Part> {
    let nodes = nodes(program);
    let total: usize = nodes.iter().map(|node| node.instructions).sum();
    // SAFETY: the module lives.
    let has_aliases = unsafe {
        let module = program.as_mut_ptr();
        !LLVMGetFirstGlobalAlias(module).is_null() || !LLVMGetFirstGlobalIFunc(module).is_null()
    };
    if total < 2 * smallest || has_aliases {
        return Vec::new();
    }
    name_all(program);
    let size = smallest.max(total.div_ceil(MOST_PARTS));
    let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
    let mut filled = 0;
    for node in callees_first(&nodes) {
        if filled >= size {
            groups.push(Vec::new());
            filled = 0;
        }
        filled += nodes[node].instructions;
        groups.last_mut().expect("there is a first group").push(node);
    }
    let part = |(index, group): (usize, Vec<usize>)| Part {
        copied: match copies {
            Copies::None => Vec::new(),
            Copies::OfSmall => names(&nodes, copied(&nodes, &group)),
        },
        defined: names(&nodes, group),
        with_variables: index == 0,
    };
    groups.into_iter().enumerate().map(part).collect()
}

/// The functions of a program, in its order.
fn nodes<'c>(program: &LlvmModule<'c>) -> Vec<Node<'c>> {
    let functions: Vec<_> = program.get_functions().filter(|function| function.count_basic_blocks() > 0).collect();
    let index: HashMap<LLVMValueRef, usize> =
        functions.iter().enumerate().map(|(index, function)| (function.as_value_ref(), index)).collect();
    let node = |function: FunctionValue<'c>| {
        let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions()).count();
        let known = calls(function).filter_map(|call| call.get_called_fn_value());
        let callees = known.filter_map(|callee| index.get(&callee.as_value_ref()).copied()).collect();
        Node { function, instructions, callees }
    };
    functions.into_iter().map(node).collect()
}

/// Gives a name to each variable without one, by which parts refer to it.
fn name_all(program: &LlvmModule<'_>) {
    let unnamed = program.get_globals().filter(|global| global.get_name().is_empty());
    for (index, global) in unnamed.enumerate() {
        global.set_name(&format!("clef.unnamed.{index}"));
    }
}

/// All functions, each directly after those that only it calls, as far as that is possible.
fn callees_first(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut seen = vec![false; nodes.len()];
    for root in 0..nodes.len() {
        // Nodes whose callees are visited, with the number of those that have been.
        let mut path = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            path.push((root, 0));
        }
        while let Some((node, next)) = path.last_mut() {
            match nodes[*node].callees.get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[callee], true) {
                        path.push((callee, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

/// The small functions outside of a group that it calls, and those that these call.
fn copied(nodes: &[Node<'_>], group: &[usize]) -> Vec<usize> {
    let mut reached: HashSet<usize> = group.iter().copied().collect();
    let mut copied = Vec::new();
    let mut callers = group.to_vec();
    for _ in 0..DEEPEST_COPIED {
        let callees = callers.iter().flat_map(|caller| &nodes[*caller].callees).copied();
        callers =
            callees.filter(|callee| nodes[*callee].instructions <= LARGEST_COPIED && reached.insert(*callee)).collect();
        copied.extend(&callers);
    }
    copied
}

fn names(nodes: &[Node<'_>], indices: Vec<usize>) -> Vec<CString> {
    indices.into_iter().map(|index| nodes[index].function.get_name().to_owned()).collect()
}

impl Part {
    /// Reads the part from the bitcode of its program.
    pub(super) fn read<'c>(&self, context: &'c Context, bitcode: &[u8]) -> Result<LlvmModule<'c>, Fault> {
        let pointers = |names: &[CString]| names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
        let (defined, copied) = (pointers(&self.defined), pointers(&self.copied));
        let mut message = ptr::null_mut();
        // SAFETY: all pointers are valid during the call, with their lengths; the context outlives the module, which
        // inkwell owns from here on.
        unsafe {
            let raw = clef_llvm_read_part(
                context.raw(),
                bitcode.as_ptr().cast(),
                bitcode.len(),
                defined.as_ptr(),
                defined.len(),
                copied.as_ptr(),
                copied.len(),
                self.with_variables,
                &raw mut message,
            );
            if raw.is_null() { Err(Fault::new(owned_message(message))) } else { Ok(LlvmModule::new(raw)) }
        }
    }
}
