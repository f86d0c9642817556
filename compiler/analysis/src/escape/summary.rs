//! Parameter summaries of all functions: the least fixpoint.

use super::{
    flow::{At, Context, Step, follow},
    uses::Uses,
};
use clef_base::HashMap;
use clef_psg::{LambdaId, Psg};
use clef_types::{Type, Types};

/// A path by which a value is stored beyond the frame.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The type of the container, which may contain type parameters of the function.
    pub(super) ty: Type,
    /// How it gets there.
    pub(super) path: Vec<Step>,
    /// The reason for a conservative assumption.
    pub(super) why: Option<String>,
}

/// A path by which a value becomes an argument of a parameter.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    /// The parameter that is called, the position of the argument, and the number of arguments.
    pub(super) to: (usize, usize, usize),
    /// The type of the argument.
    pub(super) ty: Type,
    /// How it gets there.
    pub(super) path: Vec<Step>,
}

/// The effects of a function on a parameter.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// The path to the result.
    pub(super) returned: Option<Vec<Step>>,
    /// The paths by which it is stored otherwise.
    pub(super) kept: Vec<Kept>,
    /// The paths to arguments of other parameters.
    pub(super) passed: Vec<Passed>,
}

impl Summary {
    /// The size of the summary, without the paths.
    fn size(&self) -> (bool, usize, usize) {
        (self.returned.is_some(), self.kept.len(), self.passed.len())
    }
}

/// The summaries of all parameters.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    of: HashMap<(LambdaId, usize), Summary>,
}

impl Summaries {
    /// Computes the summaries of a program; returns the type table with the types added on the way.
    pub(super) fn of_program(psg: &Psg, uses: &Uses, types: Types) -> (Summaries, Types) {
        let mut summaries = Summaries::default();
        let mut types = types;
        loop {
            let mut context = Context { psg, uses, summaries: &summaries, types };
            let found: Vec<_> = psg.lambdas.iter().flat_map(|(id, _)| of_lambda(&mut context, id)).collect();
            types = context.types;
            let mut changed = false;
            for (input, summary) in found {
                let known = summaries.of.entry(input).or_default();
                if known.size() != summary.size() {
                    *known = summary;
                    changed = true;
                }
            }
            if !changed {
                return (summaries, types);
            }
        }
    }

    /// The summary of a parameter.
    pub(super) fn of(&self, input: (LambdaId, usize)) -> Summary {
        self.of.get(&input).cloned().unwrap_or_default()
    }
}

fn of_lambda(context: &mut Context, id: LambdaId) -> Vec<((LambdaId, usize), Summary)> {
    let params = context.psg.lambdas[id].params.iter().enumerate();
    params
        .map(|(position, &param)| {
            let ends = follow(context, At::Variable(param), context.uses.home(param), true);
            let summary = Summary { returned: ends.returned, kept: ends.kept, passed: ends.passed };
            ((id, position), summary)
        })
        .collect()
}
