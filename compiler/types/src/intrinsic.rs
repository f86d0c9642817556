//! The operations that the library is built on: each is bound in the library's Clef source by `[<Intrinsic("name")>]` on a
//! `let` whose annotations determine its type.
//!
//! In: nothing. Out: the table of intrinsics, one row each, with their [`Properties`]. A new intrinsic is a row here, its
//! semantics in the reference interpreter, and its code in code generation. No phase lists intrinsics for a property.

mod properties;

pub use properties::{Created, Effect, IntrinsicConstraint, Properties, Reach};

use crate::LogLevel;
use clef_base::Bytes;
use properties::row;

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident = $row:expr,)*) => {
        /// An operation that the library cannot express in Clef.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Intrinsic { $($(#[$doc])* $variant,)* }

        /// The properties of each intrinsic, in the order of the variants.
        const TABLE: &[Properties] = &[$($row,)*];

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$variant,)*];
        }
    };
}

intrinsics! {
    /// `string -> unit`: writes to standard output.
    ConsoleWrite = row("console_write", 1, Effect::Outside),
    /// `string -> unit`: writes to standard error.
    ConsoleError = row("console_error", 1, Effect::Outside),
    /// `unit -> bool * string`: a line of standard input without its end; false at the end of input.
    ConsoleReadLine = row("console_read_line", 1, Effect::Outside).creates(Created::String),
    /// `unit -> int`: the number of the program's arguments; traps if there are too many.
    ArgumentCount = row("argument_count", 1, Effect::Trap),
    /// `int -> string`: an argument of the program by its index, which is in range; it stays in memory for ever.
    Argument = row("argument", 1, Effect::Nothing),
    /// `int -> 'a`: ends the program with a status.
    Exit = row("exit", 1, Effect::Outside).diverges(),
    /// `string -> 'a`: traps with the message and the place of the call.
    Fail = row("fail", 1, Effect::Trap).diverges(),
    /// `string -> string -> 'a`: traps with the first string in quotes, the second, and the place of the call.
    FailText = row("fail_text", 2, Effect::Trap).diverges(),
    /// `bool -> unit`: traps with "assertion failed" and the place when false.
    Assert = row("assert", 1, Effect::Trap),
    /// `string -> int`: length in bytes.
    StringLength = row("string_length", 1, Effect::Nothing),
    /// `string -> int -> byte`: the byte at an index; traps out of range.
    StringByte = row("string_byte", 2, Effect::Trap),
    /// `string -> int -> int -> string`: a substring by start and length in bytes; shares the bytes; traps out of range.
    StringSlice = row("string_slice", 3, Effect::Trap).reach(Reach::FirstArgument),
    /// `byte array -> int -> int -> string`: the bytes from a start, of a length, as a string; shares them; traps out of range.
    /// The bytes must be UTF-8, and must not be written afterwards.
    StringOfBytes = row("string_of_bytes", 3, Effect::Trap).reach(Reach::FirstArgument),
    /// `unit -> 'a`: the content of a variable before its first assignment, which may be no value of the type.
    Unset = row("unset", 1, Effect::Nothing),
    /// `int -> 'a array`: a fresh array of `n` elements, each of them zero, which may be no value of the type: they must be
    /// written before they are read. Traps if the length is negative.
    ArrayZero = row("array_zero", 1, Effect::Trap).creates(Created::Array),
    /// `'a array -> int`: the number of elements.
    ArrayLength = row("array_length", 1, Effect::Nothing),
    /// `'a array -> int -> 'a`: the element at an index; traps out of range.
    ArrayGet = row("array_get", 2, Effect::Trap).reach(Reach::ReadsElement),
    /// `'a array -> int -> 'a -> unit`: overwrites the element at an index; traps out of range.
    ArraySet = row("array_set", 3, Effect::Memory).reach(Reach::WritesElement),
    /// `'a array -> int -> 'a -> unit`: writes an element of a fresh array that was not written before; the index must be in
    /// range.
    ArrayPut = row("array_put", 3, Effect::Memory).reach(Reach::WritesElement),
    /// `'a list -> 'a list -> 'a list`: reverses the nodes of a list in place, before another list. Nothing else may refer to
    /// them, and none may be constant.
    ListReverse = row("list_reverse", 2, Effect::Memory).reach(Reach::AllArguments),
    /// `unit -> 'a`: the zero of a number type.
    Zero = row("zero", 1, Effect::Nothing).constraint(IntrinsicConstraint::Number),
    /// `'a -> 'a`: the one of a number type.
    One = row("one", 1, Effect::Nothing).constraint(IntrinsicConstraint::Number),
    /// `'a -> int -> 'a`: a float divided by an integer.
    DivideByInt = row("divide_by_int", 2, Effect::Nothing).constraint(IntrinsicConstraint::Float),
    /// `int64 -> int -> string`: decimal with a minimum number of digits.
    FormatInt64 = row("format_int64", 2, Effect::Nothing).formats(Bytes(128)),
    /// `uint64 -> int -> string`.
    FormatUInt64 = row("format_uint64", 2, Effect::Nothing).formats(Bytes(128)),
    /// `int -> int -> string`: the same on a word, without 64-bit arithmetic.
    FormatInt = row("format_int", 2, Effect::Nothing).formats(Bytes(128)),
    /// `uint -> int -> string`.
    FormatUInt = row("format_uint", 2, Effect::Nothing).formats(Bytes(128)),
    /// `uint64 -> int -> int -> bool -> string`: radix 2, 8 or 16, minimum number of digits, upper case.
    FormatRadix = row("format_radix", 4, Effect::Nothing).formats(Bytes(128)),
    /// `float -> string`: the shortest string that parses as the same value.
    FormatFloat = row("format_float", 1, Effect::Nothing).formats(Bytes(128)),
    /// `float32 -> string`.
    FormatFloat32 = row("format_float32", 1, Effect::Nothing).formats(Bytes(128)),
    /// `float -> int -> string`: `n` digits after the point.
    FormatFixed = row("format_fixed", 2, Effect::Nothing).formats(Bytes(400)),
    /// `float -> int -> bool -> string`: scientific, digits after the point, upper case `E`.
    FormatExponent = row("format_exponent", 3, Effect::Nothing).formats(Bytes(128)),
    /// `float -> int -> bool -> string`: `n` significant digits, upper case `E`.
    FormatSignificant = row("format_significant", 3, Effect::Nothing).formats(Bytes(128)),
    /// `char -> string`.
    FormatChar = row("format_char", 1, Effect::Nothing).formats(Bytes(4)),
    /// `unit -> nativeint`: a string buffer in the frame of this function, initially empty, which grows.
    TextBegin = row("text_begin", 1, Effect::Memory).creates(Created::String),
    /// `nativeint -> string -> unit`: writes to such a buffer, to standard output (1), or to standard error (2).
    TextWrite = row("text_write", 2, Effect::Memory),
    /// The same, for a buffer only; the optimiser replaces `text_write`.
    TextAppend = row("text_append", 2, Effect::Memory),
    /// `nativeint -> int -> int -> unit`: appends to a buffer what `format_int` would make; from the optimiser.
    TextAppendInt = row("text_append_int", 3, Effect::Memory),
    /// `nativeint -> uint -> int -> unit`: what `format_uint` would make; from the optimiser.
    TextAppendUInt = row("text_append_uint", 3, Effect::Memory),
    /// `nativeint -> uint32 -> unit`: a character of one byte; from the optimiser.
    TextAppendByte = row("text_append_byte", 2, Effect::Memory),
    /// `nativeint -> string`: the content of a buffer of `text_begin`.
    TextEnd = row("text_end", 1, Effect::Memory),
    /// `string -> unit`: a log message; lowering replaces it by a frame, with the intrinsics from `log_begin` on.
    LogTrace = row("log_trace", 1, Effect::Outside),
    /// `string -> unit`.
    LogDebug = row("log_debug", 1, Effect::Outside),
    /// `string -> unit`.
    LogInfo = row("log_info", 1, Effect::Outside),
    /// `string -> unit`.
    LogWarn = row("log_warn", 1, Effect::Outside),
    /// `string -> unit`.
    LogError = row("log_error", 1, Effect::Outside),
    /// `int -> string -> unit`: begins a frame, with a level and a format, both of which stay in the ELF file.
    LogBegin = row("log_begin", 2, Effect::Outside),
    /// `'t -> unit`: a number, boolean or character of a frame.
    LogValue = row("log_value", 1, Effect::Outside),
    /// `string -> unit`: a string of a frame.
    LogString = row("log_string", 1, Effect::Outside),
    /// `string -> unit`: a literal of a frame, which stays in the ELF file.
    LogName = row("log_name", 1, Effect::Outside),
    /// `unit -> unit`: ends a frame.
    LogEnd = row("log_end", 1, Effect::Outside),
    /// `string -> int -> bool * int64`: parses a signed integer of `n` bits; false unless the whole string is one.
    ParseSigned = row("parse_signed", 2, Effect::Nothing),
    /// `string -> int -> bool * uint64`.
    ParseUnsigned = row("parse_unsigned", 2, Effect::Nothing),
    /// `string -> bool * float`.
    ParseFloat = row("parse_float", 1, Effect::Nothing),
    /// `string -> bool * float32`.
    ParseFloat32 = row("parse_float32", 1, Effect::Nothing),
    /// `unit -> int64`: microseconds since a moment at or after the program's start; monotonic.
    TimeNow = row("time_now", 1, Effect::Outside),
    /// `int64 -> unit`: waits this number of microseconds; returns at once if it is not positive.
    TimeWait = row("time_wait", 1, Effect::Outside),
    /// `int64 -> unit`: waits until an interrupt was handled, at most this number of microseconds; it may also return at once.
    TimeIdle = row("time_idle", 1, Effect::Outside),
    /// `int -> bool`: whether the test of this number is selected.
    TestWanted = row("test_wanted", 1, Effect::Outside),
    /// `int -> unit`: logs the start of the test of this number, in programs that log.
    LogTest = row("log_test", 1, Effect::Outside),
    /// `unit -> int`: bits of a word.
    WordSize = row("word_size", 1, Effect::Nothing),
    /// `float -> int64`: the bits.
    FloatBits = row("float_bits", 1, Effect::Nothing),
    /// `int64 -> float`.
    FloatFromBits = row("float_from_bits", 1, Effect::Nothing),
    /// `int -> nativeptr<'t>`: memory for `n` values, zeroed; traps if `n` is negative.
    StackAllocate = row("stack_allocate", 1, Effect::Trap).constraint(IntrinsicConstraint::Plain),
    /// `nativeptr<'t> -> 't`.
    PointerRead = row("pointer_read", 1, Effect::Outside)
        .reach(Reach::ReadsThroughPointer)
        .constraint(IntrinsicConstraint::Plain),
    /// `nativeptr<'t> -> 't -> unit`.
    PointerWrite = row("pointer_write", 2, Effect::Outside)
        .reach(Reach::WritesThroughPointer)
        .constraint(IntrinsicConstraint::Plain),
    /// `nativeptr<'t> -> int -> nativeptr<'t>`: `n` values further.
    PointerAdd = row("pointer_add", 2, Effect::Nothing)
        .reach(Reach::FirstArgument)
        .constraint(IntrinsicConstraint::Plain),
    /// `nativeint -> nativeptr<'t>`.
    PointerOfAddress = row("pointer_of_address", 1, Effect::Nothing),
    /// `nativeptr<'t> -> nativeint`.
    PointerAddress = row("pointer_address", 1, Effect::Nothing).reach(Reach::RevealsAddress),
    /// `string -> nativeptr<byte>`: the bytes, without terminator.
    StringPointer = row("string_pointer", 1, Effect::Nothing).reach(Reach::FirstArgument),
    /// `'t array -> nativeptr<'t>`: the elements, which are numbers.
    ArrayPointer = row("array_pointer", 1, Effect::Nothing)
        .reach(Reach::FirstArgument)
        .constraint(IntrinsicConstraint::Number),
    /// `('a -> 'b) -> nativeptr<'a -> 'b>`: the code of an exported function, as the checker ensures.
    FunctionAddress = row("function_address", 1, Effect::Nothing),
    /// `nativeptr<'t> -> int`: the size of a value in bytes.
    SizeOf = row("size_of", 1, Effect::Nothing).constraint(IntrinsicConstraint::Plain),
    /// `unativeint -> 't`: reads a device register.
    VolatileRead = row("volatile_read", 1, Effect::Outside).constraint(IntrinsicConstraint::Integer),
    /// `unativeint -> 't -> unit`: writes a device register.
    VolatileWrite = row("volatile_write", 2, Effect::Outside).constraint(IntrinsicConstraint::Integer),
    /// `uint32 -> 't`: an integer or a value of an enum; the checker replaces it by a conversion.
    FieldValue = row("field_value", 1, Effect::Nothing).constraint(IntrinsicConstraint::Bits),
    /// `'t -> int`: the number of one bits.
    CountOnes = row("count_ones", 1, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> int`: the number of zero bits above the highest one bit; all bits if there is none.
    LeadingZeros = row("leading_zeros", 1, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> int`: the number of zero bits below the lowest one bit; all bits if there is none.
    TrailingZeros = row("trailing_zeros", 1, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> 't`: reverses the bits.
    ReverseBits = row("reverse_bits", 1, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> 't`: reverses the bytes.
    ReverseBytes = row("reverse_bytes", 1, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> int -> 't`: rotates left; the distance is modulo the width.
    RotateLeft = row("rotate_left", 2, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> int -> 't`.
    RotateRight = row("rotate_right", 2, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> 't -> 't`: the value of the type that is nearest to the sum.
    AddSaturating = row("add_saturating", 2, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
    /// `'t -> 't -> 't`: the value of the type that is nearest to the difference.
    SubtractSaturating = row("subtract_saturating", 2, Effect::Nothing).constraint(IntrinsicConstraint::Integer),
}

impl Intrinsic {
    /// The intrinsic of that name.
    pub fn named(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|intrinsic| intrinsic.properties().name == name)
    }

    /// Its row of the table.
    pub fn properties(self) -> &'static Properties {
        &TABLE[self as usize]
    }

    /// The name in the library source.
    pub fn name(self) -> &'static str {
        self.properties().name
    }

    /// The number of arguments that it takes.
    pub fn arity(self) -> usize {
        self.properties().arity
    }

    /// The level of the message that it logs, if programs call it to log.
    pub fn log_level(self) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.intrinsic() == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_names_are_unique() {
        for &intrinsic in Intrinsic::ALL {
            assert_eq!(Intrinsic::named(intrinsic.name()), Some(intrinsic));
        }
        assert_eq!(TABLE.len(), Intrinsic::ALL.len());
    }

    #[test]
    fn what_creates_a_string_of_bounded_size_creates_a_string() {
        for intrinsic in Intrinsic::ALL {
            let properties = intrinsic.properties();
            assert!(properties.largest.is_none() || properties.created == Created::String, "{intrinsic:?}");
        }
    }
}
