//! Closures: making, patching, loading captures, invoking.
//!
//! A function value is `!clef.closure` to these operations and a pointer to all others; conversions are inserted as
//! needed.

use melior::{
    Context,
    ir::{
        Attribute,
        attribute::{ArrayAttribute, BoolAttribute},
    },
};

use super::{
    Build, Emit, Signature, Tail, Type, Value,
    attribute::{self, Named, named, segments},
};

/// A capture of a closure's code: its type, size and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture<'m> {
    /// The type by which it is loaded and stored.
    pub ty: Type<'m>,
    /// Bytes that it takes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

impl<'m> Capture<'m> {
    /// The attribute `clef.captures`.
    pub(crate) fn list(context: &'m Context, captures: &[Capture<'m>]) -> Attribute<'m> {
        let entry = |capture: &Capture<'m>| {
            let Capture { ty, size, align } = capture;
            attribute::parse(context, &format!("{{type = {ty}, size = {size} : i64, align = {align} : i64}}"))
        };
        let entries: Vec<_> = captures.iter().map(entry).collect();
        ArrayAttribute::new(context, &entries).into()
    }
}

/// Where a closure lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage<'a, 'm> {
    /// A constant; only for closures without captures.
    Static,
    /// A static slot of the program, declared by [`Build::static_slot`].
    Slot(&'a str),
    /// The frame of the function, in which each make has one slot: if a loop reaches it again, the closure that it made
    /// before must be dead.
    Stack,
    /// A region; the site is what a trap reports when the pool is exhausted.
    Region {
        /// The region's handle.
        region: Value<'m>,
        /// A pointer to the `Site` of the allocation.
        site: Value<'m>,
    },
    /// A region, in the place of the closure whose code makes it, as after [`Emit::region_pop`].
    Replaced {
        /// The region's handle.
        region: Value<'m>,
        /// A pointer to the `Site` of the allocation.
        site: Value<'m>,
    },
}

impl<'m> Build<'m> {
    /// Declares memory for the only closure of a program whose code is `callee`.
    pub fn static_slot(&self, name: &str, callee: &str) {
        let context = self.context;
        if self.note_symbol(name) {
            let operation = attribute::operation("clef.static_slot", melior::ir::Location::unknown(context))
                .add_attributes(&[
                    named(context, "sym_name", attribute::string(context, name)),
                    named(context, "callee", attribute::symbol(context, callee)),
                ]);
            self.append(attribute::finish(operation));
        }
    }
}

impl<'m> Emit<'m> {
    /// Makes a closure of the code `callee`. `signature` has the explicit parameters.
    pub fn closure_make(
        &mut self,
        callee: &str,
        signature: &Signature<'m>,
        storage: Storage<'_, 'm>,
        captures: &[Value<'m>],
    ) -> Value<'m> {
        let (storage, mut operands) = self.storage(storage);
        let counts = [operands.len() / 2, operands.len() / 2, captures.len()];
        let ty = self.closure(signature);
        operands.extend(self.many(captures));
        let operation = self.op("clef.closure_make").add_operands(&operands).add_results(&[ty.0]).add_attributes(&[
            self.callee(callee),
            storage,
            segments(self.context, &counts),
        ]);
        self.push_value(operation)
    }

    /// Makes memory for a closure of a recursive group. [`Emit::closure_patch`] must follow before it is called.
    pub fn closure_allocate(&mut self, callee: &str, signature: &Signature<'m>, storage: Storage<'_, 'm>) -> Value<'m> {
        let (storage, operands) = self.storage(storage);
        let counts = [operands.len() / 2, operands.len() / 2];
        let ty = self.closure(signature);
        let operation = self
            .op("clef.closure_allocate")
            .add_operands(&operands)
            .add_results(&[ty.0])
            .add_attributes(&[self.callee(callee), storage, segments(self.context, &counts)]);
        self.push_value(operation)
    }

    /// Stores the captures of an allocated closure.
    pub fn closure_patch(&mut self, closure: Value<'m>, callee: &str, captures: &[Value<'m>]) {
        let captures = self.many(captures);
        let operation = self
            .op("clef.closure_patch")
            .add_operands(&[closure.0])
            .add_operands(&captures)
            .add_attributes(&[self.callee(callee)]);
        self.push(operation);
    }

    /// The closure in a static slot.
    pub fn static_closure(&mut self, slot: &str, signature: &Signature<'m>) -> Value<'m> {
        let ty = self.closure(signature);
        let slot = named(self.context, "slot", attribute::symbol(self.context, slot));
        let operation = self.op("clef.static_closure").add_results(&[ty.0]).add_attributes(&[slot]);
        self.push_value(operation)
    }

    /// Loads a capture, in the code of the closure: `closure` is the first parameter.
    pub fn capture(&mut self, closure: Value<'m>, signature: &Signature<'m>, index: usize, ty: Type<'m>) -> Value<'m> {
        let closure = self.as_closure(closure, signature);
        let index = attribute::integer(self.context, 64, i64::try_from(index).unwrap_or(i64::MAX));
        let operation = self
            .op("clef.capture")
            .add_operands(&[closure.0])
            .add_results(&[ty.0])
            .add_attributes(&[named(self.context, "index", index)]);
        self.push_value(operation)
    }

    /// The address of a capture within the closure, in its code: the capture is a variable of the closure.
    pub fn capture_address(&mut self, closure: Value<'m>, signature: &Signature<'m>, index: usize) -> Value<'m> {
        let closure = self.as_closure(closure, signature);
        let index = attribute::integer(self.context, 64, i64::try_from(index).unwrap_or(i64::MAX));
        let operation = self
            .op("clef.capture_address")
            .add_operands(&[closure.0])
            .add_results(&[self.ptr().0])
            .add_attributes(&[named(self.context, "index", index)]);
        self.push_value(operation)
    }

    /// Calls a closure with all arguments of its code. `signature` has the explicit parameters.
    pub fn closure_invoke(
        &mut self,
        closure: Value<'m>,
        signature: &Signature<'m>,
        arguments: &[Value<'m>],
        tail: Tail,
    ) -> Option<Value<'m>> {
        let closure = self.as_closure(closure, signature);
        let arguments = self.many(arguments);
        let attributes = [
            named(self.context, "tail", BoolAttribute::new(self.context, tail == Tail::Yes)),
            named(self.context, "convention", self.convention(signature.convention)),
        ];
        let results: Vec<_> = signature.result.iter().map(|result| result.0).collect();
        let operation = self
            .op("clef.closure_invoke")
            .add_operands(&[closure.0])
            .add_operands(&arguments)
            .add_results(&results)
            .add_attributes(&attributes);
        match signature.result {
            Some(_) => Some(self.push_value(operation)),
            None => {
                self.push(operation);
                None
            }
        }
    }

    /// The number of explicit parameters of a closure's code, which must have been defined with [`super::Function::arity`].
    pub fn closure_arity(&mut self, closure: Value<'m>) -> Value<'m> {
        let any = Signature::tail([], None);
        let closure = self.as_closure(closure, &any);
        let operation = self.op("clef.closure_arity").add_operands(&[closure.0]).add_results(&[self.int(32).0]);
        self.push_value(operation)
    }

    /// The closure that a pointer carries; `signature` has the explicit parameters.
    pub fn as_closure(&mut self, value: Value<'m>, signature: &Signature<'m>) -> Value<'m> {
        if value.ty().is_clef() {
            return value;
        }
        let ty = self.closure(signature);
        let operation = self.op("clef.closure_from_pointer").add_operands(&[value.0]).add_results(&[ty.0]);
        self.push_value(operation)
    }

    /// The pointer that carries a closure or a region; any other value is itself.
    pub fn as_pointer(&mut self, value: Value<'m>) -> Value<'m> {
        if !value.ty().is_clef() {
            return value;
        }
        let name = if value.ty() == self.region() { "clef.region_to_pointer" } else { "clef.closure_to_pointer" };
        let operation = self.op(name).add_operands(&[value.0]).add_results(&[self.ptr().0]);
        self.push_value(operation)
    }

    /// Values of many types as operands of one operation.
    fn many(&mut self, values: &[Value<'m>]) -> Vec<melior::ir::Value<'m, 'm>> {
        let ty = self.operand_type();
        let plain = self.plain(values);
        let one = |value| {
            let operation = self.op("clef.as_operand").add_operands(&[value]).add_results(&[ty.0]);
            self.push_value(operation).0
        };
        plain.into_iter().map(one).collect()
    }

    fn callee(&self, callee: &str) -> Named<'m> {
        named(self.context, "callee", attribute::symbol(self.context, callee))
    }

    /// The attribute and the operands that encode where a closure lives.
    fn storage(&mut self, storage: Storage<'_, 'm>) -> (Named<'m>, Vec<melior::ir::Value<'m, 'm>>) {
        let context = self.context;
        let (attribute, operands) = match storage {
            Storage::Static => (attribute::string(context, "static"), Vec::new()),
            Storage::Stack => (attribute::string(context, "stack"), Vec::new()),
            Storage::Slot(name) => (attribute::symbol(context, name), Vec::new()),
            Storage::Region { region, site } => {
                (attribute::string(context, "region"), vec![self.as_region(region).0, site.0])
            }
            Storage::Replaced { region, site } => {
                (attribute::string(context, "replaced"), vec![self.as_region(region).0, site.0])
            }
        };
        (named(context, "storage", attribute), operands)
    }
}
