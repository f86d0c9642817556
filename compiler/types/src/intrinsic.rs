//! The operations that the library is built on: each is bound in the library's Clef source by `[<Intrinsic("name")>]` on a
//! `let` whose annotations determine its type.
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

            /// The name in the library source.
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
    /// `unit -> int`: the number of the program's arguments; traps if there are too many.
    ArgumentCount = "argument_count",
    /// `int -> string`: an argument of the program by its index, which is in range; it stays in memory for ever.
    Argument = "argument",
    /// `int -> 'a`: ends the program with a status.
    Exit = "exit",
    /// `string -> 'a`: traps with the message and the place of the call.
    Fail = "fail",
    /// `string -> string -> 'a`: traps with the first string in quotes, the second, and the place of the call.
    FailText = "fail_text",
    /// `bool -> unit`: traps with "assertion failed" and the place when false.
    Assert = "assert",
    /// `string -> int`: length in bytes.
    StringLength = "string_length",
    /// `string -> int -> byte`: the byte at an index; traps out of range.
    StringByte = "string_byte",
    /// `string -> int -> int -> string`: a substring by start and length in bytes; shares the bytes; traps out of range.
    StringSlice = "string_slice",
    /// `byte array -> int -> int -> string`: the bytes from a start, of a length, as a string; shares them; traps out of range.
    /// The bytes must be UTF-8, and must not be written afterwards.
    StringOfBytes = "string_of_bytes",
    /// `unit -> 'a`: the content of a variable before its first assignment, which may be no value of the type.
    Unset = "unset",
    /// `int -> 'a array`: a fresh array of `n` elements, each of them zero, which may be no value of the type: they must be
    /// written before they are read. Traps if the length is negative.
    ArrayZero = "array_zero",
    /// `'a array -> int`: the number of elements.
    ArrayLength = "array_length",
    /// `'a array -> int -> 'a`: the element at an index; traps out of range.
    ArrayGet = "array_get",
    /// `'a array -> int -> 'a -> unit`: overwrites the element at an index; traps out of range.
    ArraySet = "array_set",
    /// `'a list -> 'a list -> 'a list`: reverses the nodes of a list in place, before another list. Nothing else may refer to
    /// them, and none may be constant.
    ListTurn = "list_turn",
    /// `unit -> 'a`: the zero of a number type.
    Zero = "zero",
    /// `'a -> 'a`: the one of a number type.
    One = "one",
    /// `'a -> int -> 'a`: a float divided by an integer.
    DivideByInt = "divide_by_int",
    /// `int64 -> int -> string`: decimal with a minimum number of digits.
    FormatInt64 = "format_int64",
    /// `uint64 -> int -> string`.
    FormatUInt64 = "format_uint64",
    /// `int -> int -> string`: the same on a word, without 64-bit arithmetic.
    FormatInt = "format_int",
    /// `uint -> int -> string`.
    FormatUInt = "format_uint",
    /// `uint64 -> int -> int -> bool -> string`: radix 2, 8 or 16, minimum number of digits, upper case.
    FormatRadix = "format_radix",
    /// `float -> string`: the shortest string that parses as the same value.
    FormatFloat = "format_float",
    /// `float32 -> string`.
    FormatFloat32 = "format_float32",
    /// `float -> int -> string`: `n` digits after the point.
    FormatFixed = "format_fixed",
    /// `float -> int -> bool -> string`: scientific, digits after the point, upper case `E`.
    FormatExponent = "format_exponent",
    /// `float -> int -> bool -> string`: `n` significant digits, upper case `E`.
    FormatSignificant = "format_significant",
    /// `char -> string`.
    FormatChar = "format_char",
    /// `unit -> nativeint`: a string buffer in the frame of this function, initially empty, which grows.
    TextBegin = "text_begin",
    /// `nativeint -> string -> unit`: writes to such a buffer, to standard output (1), or to standard error (2).
    TextWrite = "text_write",
    /// `nativeint -> string`: the content of a buffer of `text_begin`.
    TextEnd = "text_end",
    /// `string -> unit`: a log message; lowering replaces it by a frame, with the intrinsics from `log_begin` on.
    LogTrace = "log_trace",
    /// `string -> unit`.
    LogDebug = "log_debug",
    /// `string -> unit`.
    LogInfo = "log_info",
    /// `string -> unit`.
    LogWarn = "log_warn",
    /// `string -> unit`.
    LogError = "log_error",
    /// `int -> string -> unit`: begins a frame, with a level and a format, both of which stay in the ELF file.
    LogBegin = "log_begin",
    /// `'t -> unit`: a number, boolean or character of a frame.
    LogValue = "log_value",
    /// `string -> unit`: a string of a frame.
    LogString = "log_string",
    /// `string -> unit`: a literal of a frame, which stays in the ELF file.
    LogName = "log_name",
    /// `unit -> unit`: ends a frame.
    LogEnd = "log_end",
    /// `string -> int -> bool * int64`: parses a signed integer of `n` bits; false unless the whole string is one.
    ParseSigned = "parse_signed",
    /// `string -> int -> bool * uint64`.
    ParseUnsigned = "parse_unsigned",
    /// `string -> bool * float`.
    ParseFloat = "parse_float",
    /// `string -> bool * float32`.
    ParseFloat32 = "parse_float32",
    /// `unit -> int64`: microseconds since a moment at or after the program's start; monotonic.
    TimeNow = "time_now",
    /// `int64 -> unit`: waits this number of microseconds; returns at once if it is not positive.
    TimeWait = "time_wait",
    /// `int -> bool`: whether the test of this number is selected.
    TestWanted = "test_wanted",
    /// `int -> unit`: logs the start of the test of this number, in programs that log.
    LogTest = "log_test",
    /// `unit -> int`: bits of a word.
    WordSize = "word_size",
    /// `float -> int64`: the bits.
    FloatBits = "float_bits",
    /// `int64 -> float`.
    FloatFromBits = "float_from_bits",
    /// `int -> nativeptr<'t>`: memory for `n` values, zeroed; traps if `n` is negative.
    StackAllocate = "stack_allocate",
    /// `nativeptr<'t> -> 't`.
    PointerRead = "pointer_read",
    /// `nativeptr<'t> -> 't -> unit`.
    PointerWrite = "pointer_write",
    /// `nativeptr<'t> -> int -> nativeptr<'t>`: `n` values further.
    PointerAdd = "pointer_add",
    /// `nativeint -> nativeptr<'t>`.
    PointerOfAddress = "pointer_of_address",
    /// `nativeptr<'t> -> nativeint`.
    PointerAddress = "pointer_address",
    /// `string -> nativeptr<byte>`: the bytes, without terminator.
    StringPointer = "string_pointer",
    /// `('a -> 'b) -> nativeptr<'a -> 'b>`: the code of an exported function, as the checker ensures.
    FunctionAddress = "function_address",
    /// `nativeptr<'t> -> int`: the size of a value in bytes.
    SizeOf = "size_of",
    /// `unativeint -> 't`: reads a device register.
    VolatileRead = "volatile_read",
    /// `unativeint -> 't -> unit`: writes a device register.
    VolatileWrite = "volatile_write",
    /// `'t -> int`: the number of one bits.
    CountOnes = "count_ones",
    /// `'t -> int`: the number of zero bits above the highest one bit; all bits if there is none.
    LeadingZeros = "leading_zeros",
    /// `'t -> int`: the number of zero bits below the lowest one bit; all bits if there is none.
    TrailingZeros = "trailing_zeros",
    /// `'t -> 't`: reverses the bits.
    ReverseBits = "reverse_bits",
    /// `'t -> 't`: reverses the bytes.
    ReverseBytes = "reverse_bytes",
    /// `'t -> int -> 't`: rotates left; the distance is modulo the width.
    RotateLeft = "rotate_left",
    /// `'t -> int -> 't`.
    RotateRight = "rotate_right",
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
    /// Plain data: see [`clef_psg::plain`].
    Plain,
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
    TakesElement,
    /// It stores its third argument in the array that is its first.
    PutsElement,
    /// It returns the pointee of a pointer.
    TakesBehindPointer,
    /// It stores its second argument through a pointer.
    PutsBehindPointer,
    /// It converts an address to a number.
    TellsAddress,
}

impl Intrinsic {
    /// The number of arguments that it takes.
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

    /// The level of the message that it logs, if programs call it to log.
    pub fn log_level(self) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.intrinsic() == self)
    }

    /// Its effect on the memory of its arguments.
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

    /// Its constraint on its generic types.
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
