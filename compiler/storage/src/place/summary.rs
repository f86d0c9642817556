//! What each function does with its inputs: the least fixed point of the flows of all functions.
//!
//! In: a program whose tail calls are marked. Out: [`Summaries`]. Guarantee: if an input (a parameter, a capture, or
//! the closure itself) may be kept beyond the call, its summary says `escapes`, and if the result may hold it,
//! `returned`. [`Callees`] says what a call of an unknown closure reaches.

use super::{
    FrameLimits,
    flow::{Depth, Flow, Sink},
};
use clef_base::HashMap;
use clef_core::{Call, Convention, Function, FunctionId, Holders, LocalId, Program, callees::Callees};

/// What a function does with one input, and with its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Summary {
    /// With the input itself.
    pub(super) itself: Fate,
    /// With what it holds: the content of a cell, the captures of a closure.
    pub(super) within: Fate,
}

/// The fate of a value in a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fate {
    /// The result may be it.
    pub(super) returned: bool,
    /// The result may hold it.
    pub(super) within: bool,
    /// It may be kept beyond the call in another way.
    pub(super) escapes: bool,
}

/// The summaries of all functions.
#[derive(Debug)]
pub(super) struct Summaries {
    inputs: HashMap<(FunctionId, LocalId), Summary>,
    callees: Callees,
    /// The limits of frames, on which it depends what an array is to the function that makes it.
    pub(super) limits: FrameLimits,
}

/// The inputs of a function: parameters, captures, the closure itself.
pub(super) fn inputs(function: &Function) -> impl Iterator<Item = LocalId> + '_ {
    let (captures, itself) = match &function.convention {
        Convention::Known | Convention::Exported(_) => (&[][..], None),
        Convention::Closure { captures, itself, .. } => (&captures[..], *itself),
    };
    function.params.iter().chain(captures).copied().chain(itself)
}

impl Summaries {
    /// The summaries of a program.
    pub(super) fn of_program(program: &Program, limits: FrameLimits, holders: &mut Holders) -> Summaries {
        let mut summaries = Summaries { inputs: HashMap::default(), callees: Callees::of(program), limits };
        let functions: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &id in &functions {
                changed |= summaries.update(program, id, holders);
            }
        }
        summaries
    }

    /// What a function does with an input.
    pub(super) fn of(&self, function: FunctionId, input: LocalId) -> Summary {
        self.inputs.get(&(function, input)).copied().unwrap_or_default()
    }

    /// The functions that a call of `caller` may reach.
    pub(super) fn targets(&self, program: &Program, caller: FunctionId, call: &Call) -> Vec<FunctionId> {
        self.callees.of_call(program, caller, call)
    }

    fn update(&mut self, program: &Program, id: FunctionId, holders: &mut Holders) -> bool {
        let flow = Flow::of(program, id, self, holders);
        let mut changed = false;
        for input in inputs(&program.functions[id]) {
            if !holders.holds(program, program.functions[id].locals[input].ty) {
                continue;
            }
            let fate = |depth| {
                let (returned, within) = flow.returned(input, depth);
                Fate { returned, within, escapes: flow.escape(input, depth, keeps).is_some() }
            };
            let summary = Summary { itself: fate(Depth::Itself), within: fate(Depth::Within) };
            changed |= self.inputs.insert((id, input), summary).unwrap_or_default() != summary;
        }
        changed
    }
}

/// Whether a value outlives the call through a sink. The next iteration and tail calls end before the caller's frame does.
fn keeps(sink: &Sink) -> bool {
    match sink {
        Sink::Stored(_) | Sink::Reused(_) | Sink::Passed(_) | Sink::Captured(_) => true,
        Sink::Returned(_) | Sink::ReturnedWithin(_) | Sink::NextIteration(_) | Sink::TailCall(_) => false,
    }
}
