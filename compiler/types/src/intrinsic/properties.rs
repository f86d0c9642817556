//! The columns of the table of intrinsics.
//!
//! A row begins with what every intrinsic has: [`row`]. The other columns have defaults, which methods replace.

use clef_base::Bytes;

/// What the phases know of an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The name in the library source.
    pub name: &'static str,
    /// The number of arguments that it takes.
    pub arity: usize,
    /// Why it is performed even if its result is unused.
    pub effect: Effect,
    /// Whether it never returns.
    pub diverges: bool,
    /// Its effect on the memory of its arguments.
    pub reach: Reach,
    /// Its constraint on its generic types.
    pub constraint: IntrinsicConstraint,
    /// What it allocates.
    pub created: Created,
    /// The largest size of the string that it creates; `None` if there is no bound.
    pub largest: Option<Bytes>,
}

/// What an intrinsic does besides computing its result; of several effects, the last one listed here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// Nothing: it is not performed where its result is unused.
    Nothing,
    /// It traps on some arguments.
    Trap,
    /// It overwrites memory of its arguments, or depends on a buffer that others write to.
    Memory,
    /// It depends on, or changes, what is outside of the program's memory: the console, the log, the clock, devices (to
    /// which any pointer may lead), or whether the program runs on.
    Outside,
}

/// The effect of an intrinsic on the memory of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// None beyond the call: it returns numbers, or memory of its own.
    Nothing,
    /// The result is in the memory of the first argument.
    FirstArgument,
    /// The result consists of the arguments, linked.
    AllArguments,
    /// It returns an element of the array that is its first argument.
    ReadsElement,
    /// It stores its third argument in the array that is its first.
    WritesElement,
    /// It returns the pointee of a pointer.
    ReadsThroughPointer,
    /// It stores its second argument through a pointer.
    WritesThroughPointer,
    /// It converts an address to a number.
    RevealsAddress,
}

/// The constraint of an intrinsic on its generic types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntrinsicConstraint {
    /// Nothing.
    Nothing,
    /// Numbers.
    Number,
    /// Floats.
    Float,
    /// Integers.
    Integer,
    /// Integers and enums.
    Bits,
    /// Plain data: see [`clef_psg::plain`].
    Plain,
}

/// What an intrinsic of the library allocates. Lowering replaces those that allocate anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Created {
    /// Nothing.
    Nothing,
    /// A string.
    String,
    /// An array of the type of its result.
    Array,
}

/// A row with the defaults: the intrinsic returns, has no constraint, allocates nothing, and does not reach the memory of
/// its arguments.
pub(super) const fn row(name: &'static str, arity: usize, effect: Effect) -> Properties {
    Properties {
        name,
        arity,
        effect,
        diverges: false,
        reach: Reach::Nothing,
        constraint: IntrinsicConstraint::Nothing,
        created: Created::Nothing,
        largest: None,
    }
}

impl Properties {
    /// It never returns.
    pub(super) const fn diverges(self) -> Properties {
        Properties { diverges: true, ..self }
    }

    /// Its effect on the memory of its arguments.
    pub(super) const fn reach(self, reach: Reach) -> Properties {
        Properties { reach, ..self }
    }

    /// Its constraint on its generic types.
    pub(super) const fn constraint(self, constraint: IntrinsicConstraint) -> Properties {
        Properties { constraint, ..self }
    }

    /// It allocates.
    pub(super) const fn creates(self, created: Created) -> Properties {
        Properties { created, ..self }
    }

    /// It creates a string of at most this size.
    pub(super) const fn formats(self, largest: Bytes) -> Properties {
        Properties { created: Created::String, largest: Some(largest), ..self }
    }
}
