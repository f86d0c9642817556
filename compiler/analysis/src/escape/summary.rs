//! What each function does with each of its parameters: the least fixpoint over all functions.

use super::{
    flow::{At, Context, Step, follow},
    uses::Uses,
};
use clef_psg::{LambdaId, Psg};
use clef_types::{Type, Types};
use std::collections::HashMap;

/// A way by which a value is kept beyond the frame.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The type of what is kept, in which type parameters of the function may stand.
    pub(super) ty: Type,
    /// How it gets there.
    pub(super) way: Vec<Step>,
    /// Why that must be assumed, if it is not plain.
    pub(super) why: Option<String>,
}

/// A way by which a value becomes an argument of a function that is a parameter itself.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    /// The parameter that is called, the position of the argument, and the number of arguments.
    pub(super) to: (usize, usize, usize),
    /// The type of what is passed.
    pub(super) ty: Type,
    /// How it gets there.
    pub(super) way: Vec<Step>,
}

/// What a function does with a parameter.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// How the result may hold it.
    pub(super) returned: Option<Vec<Step>>,
    /// How it is kept otherwise.
    pub(super) kept: Vec<Kept>,
    /// How it is passed to other parameters.
    pub(super) passed: Vec<Passed>,
}

impl Summary {
    /// What the summary says, without the ways.
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
    /// Finds the summaries of a program; types that arise on the way are added to the table.
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

    /// What a function does with a parameter.
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
