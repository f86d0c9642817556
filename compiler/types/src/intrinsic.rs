//! The operations that the library is written over: each is bound in the library's Clef source by
//! `[<Intrinsic("name")>]` on a `let` whose annotations give its type.
//!
//! The reference interpreter performs them; code generation maps each to inline code or to a runtime function.

use crate::LogLevel;

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// An operation that the library cannot express in Clef.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Intrinsic { $($(#[$doc])* $variant,)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// The name in the library's source.
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name,)* }
            }

            /// The intrinsic of that name.
            pub fn named(name: &str) -> Option<Intrinsic> {
                Intrinsic::ALL.iter().copied().find(|intrinsic| intrinsic.name() == name)
            }
        }
    };
}

intrinsics! {
    /// `string -> unit`: writes to standard output.
    ConsoleWrite = "console_write",
    /// `string -> unit`: writes to standard error.
    ConsoleError = "console_error",
    /// `unit -> bool * string`: a line of standard input without its end; false at the end of input.
    ConsoleReadLine = "console_read_line",
    /// `unit -> int`: the number of the program's arguments; traps where they are more than can be taken.
    ArgumentCount = "argument_count",
    /// `int -> string`: an argument of the program by its index, which is in range; it lies in memory for ever.
    Argument = "argument",
    /// `int -> 'a`: ends the program with a status.
    Exit = "exit",
    /// `string -> 'a`: traps with the message and the place of the call.
    Fail = "fail",
    /// `string -> string -> 'a`: traps with the first text in quotes, the second, and the place of the call.
    FailText = "fail_text",
    /// `bool -> unit`: traps with "assertion failed" and the place when false.
    Assert = "assert",
    /// `string -> int`: length in bytes.
    StringLength = "string_length",
    /// `string -> int -> byte`: the byte at an index; traps out of range.
    StringByte = "string_byte",
    /// `string -> int -> int -> string`: the bytes from a start, a length; shares the text, copies nothing; traps out of range.
    StringSlice = "string_slice",
    /// `byte array -> int -> int -> string`: the bytes from a start, a length, as text; shares them, copies nothing; traps
    /// out of range. The bytes must be UTF-8, and not be written any more.
    StringOfBytes = "string_of_bytes",
    /// `unit -> 'a`: what a variable holds before its first assignment: anything, which may be no value of the type.
    Unset = "unset",
    /// `int -> 'a array`: a fresh array of so many elements, each of them zero, which may be no value of the type: they
    /// must be written before they are read. Traps if the length is negative.
    ArrayZero = "array_zero",
    /// `'a array -> int`: the number of elements.
    ArrayLength = "array_length",
    /// `'a array -> int -> 'a`: the element at an index; traps out of range.
    ArrayGet = "array_get",
    /// `'a array -> int -> 'a -> unit`: overwrites the element at an index; traps out of range.
    ArraySet = "array_set",
    /// `'a list -> 'a list -> 'a list`: the nodes of a list, which nothing else holds and none of which is constant, the
    /// other way round before another list: they are written to, and none is made.
    ListTurn = "list_turn",
    /// `unit -> 'a`: the zero of a number's type.
    Zero = "zero",
    /// `'a -> 'a`: the one of the type of a number.
    One = "one",
    /// `'a -> int -> 'a`: a float divided by an integer.
    DivideByInt = "divide_by_int",
    /// `int64 -> int -> string`: decimal with at least so many digits.
    FormatInt64 = "format_int64",
    /// `uint64 -> int -> string`.
    FormatUInt64 = "format_uint64",
    /// `int -> int -> string`: the same on a word, without 64-bit arithmetic.
    FormatInt = "format_int",
    /// `uint -> int -> string`.
    FormatUInt = "format_uint",
    /// `uint64 -> int -> int -> bool -> string`: radix 2, 8 or 16, least digits, upper case.
    FormatRadix = "format_radix",
    /// `float -> string`: shortest text that reads back the same.
    FormatFloat = "format_float",
    /// `float32 -> string`.
    FormatFloat32 = "format_float32",
    /// `float -> int -> string`: so many digits behind the point.
    FormatFixed = "format_fixed",
    /// `float -> int -> bool -> string`: scientific, digits behind the point, upper case `E`.
    FormatExponent = "format_exponent",
    /// `float -> int -> bool -> string`: so many significant digits, upper case `E`.
    FormatSignificant = "format_significant",
    /// `char -> string`.
    FormatChar = "format_char",
    /// `unit -> nativeint`: a place to write text to, of this function's frame: an empty string that grows.
    TextBegin = "text_begin",
    /// `nativeint -> string -> unit`: writes to such a place, to standard output (1), or to standard error (2).
    TextWrite = "text_write",
    /// `nativeint -> string`: what was written to a place that `text_begin` gave.
    TextEnd = "text_end",
    /// `string -> unit`: a message of the log; lowering makes of it a frame, by the intrinsics from `log_begin` on.
    LogTrace = "log_trace",
    /// `string -> unit`.
    LogDebug = "log_debug",
    /// `string -> unit`.
    LogInfo = "log_info",
    /// `string -> unit`.
    LogWarn = "log_warn",
    /// `string -> unit`.
    LogError = "log_error",
    /// `int -> string -> unit`: begins a frame, of a level and with a format, both of which stay in the ELF file.
    LogBegin = "log_begin",
    /// `'t -> unit`: a number, a truth value or a character of a frame.
    LogValue = "log_value",
    /// `string -> unit`: a string of a frame.
    LogString = "log_string",
    /// `string -> unit`: a literal of a frame, which stays in the ELF file.
    LogName = "log_name",
    /// `unit -> unit`: ends a frame.
    LogEnd = "log_end",
    /// `string -> int -> bool * int64`: a signed integer of so many bits; false unless all of the text is one.
    ParseSigned = "parse_signed",
    /// `string -> int -> bool * uint64`.
    ParseUnsigned = "parse_unsigned",
    /// `string -> bool * float`.
    ParseFloat = "parse_float",
    /// `string -> bool * float32`.
    ParseFloat32 = "parse_float32",
    /// `unit -> int64`: microseconds since a moment at or after the program's start; never less than the last time.
    TimeNow = "time_now",
    /// `int64 -> unit`: waits until so many microseconds have passed; not at all if there are none.
    TimeWait = "time_wait",
    /// `int -> bool`: whether the test of this number is to run.
    TestWanted = "test_wanted",
    /// `int -> unit`: says in the log that the test of this number begins, in programs that log.
    LogTest = "log_test",
    /// `unit -> int`: bits of a word.
    WordSize = "word_size",
    /// `float -> int64`: the bits.
    FloatBits = "float_bits",
    /// `int64 -> float`.
    FloatFromBits = "float_from_bits",
    /// `int -> nativeptr<'t>`: so many values in memory, of zeros; traps when negative.
    StackAllocate = "stack_allocate",
    /// `nativeptr<'t> -> 't`.
    PointerRead = "pointer_read",
    /// `nativeptr<'t> -> 't -> unit`.
    PointerWrite = "pointer_write",
    /// `nativeptr<'t> -> int -> nativeptr<'t>`: so many values further.
    PointerAdd = "pointer_add",
    /// `nativeint -> nativeptr<'t>`.
    PointerOfAddress = "pointer_of_address",
    /// `nativeptr<'t> -> nativeint`.
    PointerAddress = "pointer_address",
    /// `string -> nativeptr<byte>`: the bytes, without an end.
    StringPointer = "string_pointer",
    /// `('a -> 'b) -> nativeptr<'a -> 'b>`: the code of an exported function, which the checker sees to.
    FunctionAddress = "function_address",
    /// `nativeptr<'t> -> int`: the bytes that a value takes.
    SizeOf = "size_of",
    /// `unativeint -> 't`: a read of a device's register.
    VolatileRead = "volatile_read",
    /// `unativeint -> 't -> unit`: a write to a device's register.
    VolatileWrite = "volatile_write",
    /// `'t -> int`: the bits that are one.
    CountOnes = "count_ones",
    /// `'t -> int`: the zeros before the first one; all bits if there is none.
    LeadingZeros = "leading_zeros",
    /// `'t -> int`: the zeros behind the last one; all bits if there is none.
    TrailingZeros = "trailing_zeros",
    /// `'t -> 't`: the first bit last.
    ReverseBits = "reverse_bits",
    /// `'t -> 't`: the first byte last.
    ReverseBytes = "reverse_bytes",
    /// `'t -> int -> 't`: what leaves at the top enters at the bottom; the distance is modulo the width.
    RotateLeft = "rotate_left",
    /// `'t -> int -> 't`.
    RotateRight = "rotate_right",
}

/// What an intrinsic demands of the types that it is generic in.
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
    /// Plain data: see [`clef_psg::plain`].
    Plain,
}

/// What an intrinsic does with memory that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Nothing beyond the call: it gives numbers, or memory of its own.
    Nothing,
    /// The result lies in the memory of the first argument.
    FirstArgument,
    /// The result is what the arguments are, linked.
    AllArguments,
    /// It takes an element out of the array that is its first argument.
    TakesElement,
    /// It puts its third argument into the array that is its first.
    PutsElement,
    /// It gives what lies behind a pointer.
    TakesBehindPointer,
    /// It puts its second argument behind a pointer.
    PutsBehindPointer,
    /// It makes a number of an address.
    TellsAddress,
}

impl Intrinsic {
    /// The number of arguments that it takes before it does anything.
    pub fn arity(self) -> usize {
        use Intrinsic::*;
        match self {
            ConsoleWrite | ConsoleError | ConsoleReadLine | ArgumentCount | Argument | Exit | Fail | Assert
            | StringLength | Unset | FormatFloat | FormatFloat32 | FormatChar | ArrayZero | ArrayLength
            | ParseFloat | ParseFloat32 | TimeNow | TimeWait | TestWanted | WordSize | FloatBits | FloatFromBits
            | Zero | One | TextBegin | TextEnd | StackAllocate | PointerRead | PointerOfAddress | PointerAddress
            | StringPointer | FunctionAddress | SizeOf | VolatileRead | CountOnes | LeadingZeros | TrailingZeros
            | ReverseBits | ReverseBytes | LogTrace | LogDebug | LogInfo | LogWarn | LogError | LogValue
            | LogString | LogName | LogEnd | LogTest => 1,
            StringByte | DivideByInt | ArrayGet | FormatInt64 | FormatUInt64 | FormatInt | FormatUInt | FormatFixed
            | ParseSigned | ParseUnsigned | TextWrite | ListTurn | PointerWrite | PointerAdd | VolatileWrite
            | RotateLeft | RotateRight | LogBegin | FailText => 2,
            StringSlice | StringOfBytes | ArraySet | FormatExponent | FormatSignificant => 3,
            FormatRadix => 4,
        }
    }

    /// The level of a message that it logs, if it is a call that programs write.
    pub fn log_level(self) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.intrinsic() == self)
    }

    /// What it does with memory that it is given.
    pub fn reach(self) -> Reach {
        use Intrinsic::*;
        match self {
            StringSlice | StringOfBytes | StringPointer | PointerAdd => Reach::FirstArgument,
            ListTurn => Reach::AllArguments,
            ArrayGet => Reach::TakesElement,
            ArraySet => Reach::PutsElement,
            PointerRead => Reach::TakesBehindPointer,
            PointerWrite => Reach::PutsBehindPointer,
            PointerAddress => Reach::TellsAddress,
            TextBegin | TextEnd | TextWrite | FormatSignificant | ConsoleWrite | ConsoleError | ConsoleReadLine
            | ArgumentCount | Argument | Exit | Fail | FailText | Assert | StringLength | Unset | StringByte
            | ArrayZero | ArrayLength | FormatInt64 | FormatUInt64 | FormatInt | FormatUInt | FormatRadix
            | FormatFloat | FormatFloat32 | FormatFixed | FormatExponent | FormatChar | ParseSigned | ParseUnsigned
            | ParseFloat | ParseFloat32 | TimeNow | TimeWait | TestWanted | WordSize | FloatBits | FloatFromBits
            | PointerOfAddress | FunctionAddress | Zero | One | DivideByInt | StackAllocate | SizeOf | VolatileRead
            | VolatileWrite | CountOnes | LeadingZeros | TrailingZeros | ReverseBits | ReverseBytes | RotateLeft
            | RotateRight | LogTrace | LogDebug | LogInfo | LogWarn | LogError | LogBegin | LogValue | LogString
            | LogName | LogEnd | LogTest => Reach::Nothing,
        }
    }

    /// What it demands of the types that it is generic in.
    pub fn constraint(self) -> IntrinsicConstraint {
        use Intrinsic::*;
        match self {
            TextBegin | TextEnd | TextWrite | FormatSignificant | ConsoleWrite | ConsoleError | ConsoleReadLine
            | ArgumentCount | Argument | Exit | Fail | FailText | Assert | StringLength | Unset | StringByte
            | StringSlice | StringOfBytes | ArrayZero | ArrayLength | ArrayGet | ArraySet | ListTurn | FormatInt64
            | FormatUInt64 | FormatInt | FormatUInt | FormatRadix | FormatFloat | FormatFloat32 | FormatFixed
            | FormatExponent | FormatChar | ParseSigned | ParseUnsigned | ParseFloat | ParseFloat32 | TimeNow
            | TimeWait | TestWanted | WordSize | FloatBits | FloatFromBits | PointerOfAddress | PointerAddress
            | StringPointer | FunctionAddress | LogTrace | LogDebug | LogInfo | LogWarn | LogError | LogBegin
            | LogValue | LogString | LogName | LogEnd | LogTest => IntrinsicConstraint::Nothing,
            Zero | One => IntrinsicConstraint::Number,
            DivideByInt => IntrinsicConstraint::Float,
            StackAllocate | PointerRead | PointerWrite | PointerAdd | SizeOf => IntrinsicConstraint::Plain,
            VolatileRead | VolatileWrite | CountOnes | LeadingZeros | TrailingZeros | ReverseBits | ReverseBytes
            | RotateLeft | RotateRight => IntrinsicConstraint::Integer,
        }
    }
}
