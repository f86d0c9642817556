//! Terminators of blocks.

use melior::ir::attribute::DenseI32ArrayAttribute;

use super::{
    Block, Emit, Value,
    attribute::{self, named, segments},
};

impl<'m> Emit<'m> {
    /// Continues in a block.
    pub fn br(&mut self, to: Block<'m>, arguments: &[Value<'m>]) {
        let arguments = self.plain(arguments);
        let operation = self.op("llvm.br").add_operands(&arguments).add_successors(&[&to.0]);
        self.push(operation);
    }

    /// Continues in one of two blocks.
    pub fn cond_br(
        &mut self,
        condition: Value<'m>,
        then: (Block<'m>, &[Value<'m>]),
        otherwise: (Block<'m>, &[Value<'m>]),
    ) {
        let operands = [&[condition], then.1, otherwise.1].concat();
        let operands = self.plain(&operands);
        let operation = self
            .op("llvm.cond_br")
            .add_operands(&operands)
            .add_attributes(&[segments(self.context, &[1, then.1.len(), otherwise.1.len()])])
            .add_successors(&[&then.0.0, &otherwise.0.0]);
        self.push(operation);
    }

    /// Continues in the block of the case that equals an integer, or in `otherwise`.
    pub fn switch(
        &mut self,
        value: Value<'m>,
        otherwise: (Block<'m>, &[Value<'m>]),
        cases: &[(i64, Block<'m>, &[Value<'m>])],
    ) {
        if cases.is_empty() {
            return self.br(otherwise.0, otherwise.1);
        }
        let context = self.context;
        let values: Vec<_> = cases.iter().map(|case| case.0.to_string()).collect();
        let values = format!("dense<[{}]> : vector<{}x{}>", values.join(", "), cases.len(), value.ty());
        let counts: Vec<_> = cases.iter().map(|case| i32::try_from(case.2.len()).unwrap_or(i32::MAX)).collect();
        let of_cases: Vec<_> = cases.iter().flat_map(|case| case.2.iter().copied()).collect();
        let operands = [&[value], otherwise.1, &of_cases].concat();
        let operands = self.plain(&operands);
        let blocks: Vec<_> = std::iter::once(&otherwise.0).chain(cases.iter().map(|case| &case.1)).collect();
        let blocks: Vec<_> = blocks.iter().map(|block| &*block.0).collect();
        let operation = self
            .op("llvm.switch")
            .add_operands(&operands)
            .add_attributes(&[
                named(context, "case_values", attribute::parse(context, &values)),
                named(context, "case_operand_segments", DenseI32ArrayAttribute::new(context, &counts)),
                segments(context, &[1, otherwise.1.len(), of_cases.len()]),
            ])
            .add_successors(&blocks);
        self.push(operation);
    }

    /// Returns.
    pub fn ret(&mut self, value: Option<Value<'m>>) {
        let value: Vec<_> = value.into_iter().collect();
        self.llvm_effect("llvm.return", &value, &[]);
    }

    /// Marks a point that control never reaches.
    pub fn unreachable(&mut self) {
        self.llvm_effect("llvm.unreachable", &[], &[]);
    }
}
