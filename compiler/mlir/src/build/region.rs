//! Regions: entering, leaving, allocating.

use super::{
    Emit, Value,
    attribute::{self, named},
};

impl<'m> Emit<'m> {
    /// Enters a new region; `site` is where it begins in the source.
    pub fn region_enter(&mut self, site: Value<'m>) -> Value<'m> {
        let operation = self.op("clef.region_enter").add_operands(&[site.0]).add_results(&[self.region().0]);
        self.push_value(operation)
    }

    /// Leaves the region entered last, and frees all its memory.
    pub fn region_leave(&mut self, region: Value<'m>) {
        let region = self.as_region(region);
        let operation = self.op("clef.region_leave").add_operands(&[region.0]);
        self.push(operation);
    }

    /// Frees the closure that was allocated last in a region and is in use, in its own code.
    pub fn region_pop(&mut self, region: Value<'m>, closure: Value<'m>) {
        let region = self.as_region(region);
        let operation = self.op("clef.region_pop").add_operands(&[region.0, closure.0]);
        self.push(operation);
    }

    /// The region that lives as long as the program.
    pub fn region_program(&mut self) -> Value<'m> {
        let operation = self.op("clef.region_program").add_results(&[self.region().0]);
        self.push_value(operation)
    }

    /// Memory in a region. `size` has the width of a pointer; `site` is what a trap reports when the pool is exhausted.
    pub fn region_allocate(&mut self, region: Value<'m>, size: Value<'m>, align: u64, site: Value<'m>) -> Value<'m> {
        let region = self.as_region(region);
        let operation = self
            .op("clef.region_allocate")
            .add_operands(&[region.0, size.0, site.0])
            .add_results(&[self.ptr().0])
            .add_attributes(&[named(self.context, "align", attribute::integer(self.context, 64, align.cast_signed()))]);
        self.push_value(operation)
    }

    /// The region that a pointer carries, such as a region parameter.
    pub fn as_region(&mut self, value: Value<'m>) -> Value<'m> {
        if value.ty().is_clef() {
            return value;
        }
        let operation = self.op("clef.region_from_pointer").add_operands(&[value.0]).add_results(&[self.region().0]);
        self.push_value(operation)
    }
}
