//! The operations that the library is built on: inline code, or a call of the runtime.

use crate::{code::Code, function::FunctionEmitter};
use clef_base::{Span, internal::bug};
use clef_core::{AllocationId, Atom, Storage};
use clef_mlir::{IntPredicate, Memory, Value};
use clef_types::{Intrinsic, Type, trap::TrapCause};

/// The size of a growing string in words, as the runtime lays it out.
const TEXT_WORDS: u32 = 5;

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Performs an intrinsic whose result has type `ty`.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Atom],
        allocation: Option<AllocationId>,
        ty: Type,
        span: Span,
    ) -> Option<Value<'m>> {
        use Intrinsic::*;
        match intrinsic {
            ConsoleWrite => self.write_to_console(&arguments[0]),
            ConsoleError => self.write_string("clef_console_error", &arguments[0]),
            ConsoleReadLine => Some(self.read_line(ty, made(allocation, span))),
            Exit => self.exit(&arguments[0], ty),
            ArgumentCount => {
                let word = self.code.word();
                let site = self.code.site(span);
                Some(self.code.runtime("clef_argument_count", word, &[site]))
            }
            Argument => {
                let buffer = self.code.string_buffer();
                let index = self.value(&arguments[0]);
                self.code.runtime_effect("clef_argument", &[buffer, index]);
                Some(self.code.load_string(buffer))
            }
            Fail => self.fail(&arguments[0], ty, span),
            FailText => self.fail_text(&arguments[0], &arguments[1], ty, span),
            Assert => {
                let condition = self.value(&arguments[0]);
                self.code.trap_unless(condition, TrapCause::AssertionFailed, span);
                None
            }
            StringLength => Some(self.string_parts(&arguments[0])[1]),
            StringByte => Some(self.string_byte(&arguments[0], &arguments[1], span)),
            // Byte arrays are an address and a length, as strings are.
            StringSlice | StringOfBytes => Some(self.string_slice(arguments, span)),
            ArrayZero => Some(self.array_zero(ty, &arguments[0], made(allocation, span), span)),
            StackAllocate => Some(self.stack_allocate(&arguments[0], made(allocation, span), span)),
            PointerRead => self.pointer_read(&arguments[0], ty),
            PointerWrite => self.pointer_write(&arguments[0], &arguments[1]),
            PointerAdd => Some(self.pointer_add(&arguments[0], &arguments[1], ty)),
            PointerOfAddress => {
                let (address, pointer) = (self.value(&arguments[0]), self.code.emit.ptr());
                Some(self.code.emit.inttoptr(address, pointer))
            }
            PointerAddress => {
                let (pointer, word) = (self.value(&arguments[0]), self.code.word());
                Some(self.code.emit.ptrtoint(pointer, word))
            }
            StringPointer | ArrayPointer => Some(self.string_parts(&arguments[0])[0]),
            VolatileRead => self.volatile_read(&arguments[0], ty),
            VolatileWrite => self.volatile_write(&arguments[0], &arguments[1]),
            CountOnes => Some(self.count_ones(&arguments[0])),
            LeadingZeros => Some(self.zeros("llvm.ctlz", &arguments[0])),
            TrailingZeros => Some(self.zeros("llvm.cttz", &arguments[0])),
            ReverseBits => Some(self.reversed("llvm.bitreverse", &arguments[0])),
            ReverseBytes => Some(self.reversed("llvm.bswap", &arguments[0])),
            RotateLeft => Some(self.rotated("llvm.fshl", &arguments[0], &arguments[1])),
            RotateRight => Some(self.rotated("llvm.fshr", &arguments[0], &arguments[1])),
            AddSaturating => Some(self.saturating("add", &arguments[0], &arguments[1])),
            SubtractSaturating => Some(self.saturating("sub", &arguments[0], &arguments[1])),
            ListReverse => Some(self.reverse_list(&arguments[0], &arguments[1], ty)),
            SizeOf | FunctionAddress | FieldValue => {
                bug("generate", span, "an operation that should have been lowered is left")
            }
            ArrayLength => Some(self.string_parts(&arguments[0])[1]),
            ArrayGet => self.array_get(&arguments[0], &arguments[1], span),
            ArrayPut => self.array_put(&arguments[0], &arguments[1], &arguments[2]),
            ArraySet => self.array_set(&arguments[0], &arguments[1], &arguments[2], span),
            FormatInt64 => Some(self.format(intrinsic, "clef_format_signed", arguments, made(allocation, span))),
            FormatUInt64 => Some(self.format(intrinsic, "clef_format_unsigned", arguments, made(allocation, span))),
            FormatInt => Some(self.format(intrinsic, "clef_format_signed_word", arguments, made(allocation, span))),
            FormatUInt => Some(self.format(intrinsic, "clef_format_unsigned_word", arguments, made(allocation, span))),
            FormatRadix => Some(self.format(intrinsic, "clef_format_radix", arguments, made(allocation, span))),
            FormatFloat => Some(self.format(intrinsic, "clef_format_float64", arguments, made(allocation, span))),
            FormatFloat32 => Some(self.format(intrinsic, "clef_format_float32", arguments, made(allocation, span))),
            FormatFixed => Some(self.format(intrinsic, "clef_format_fixed", arguments, made(allocation, span))),
            FormatExponent => Some(self.format(intrinsic, "clef_format_exponent", arguments, made(allocation, span))),
            FormatSignificant => {
                Some(self.format(intrinsic, "clef_format_significant", arguments, made(allocation, span)))
            }
            FormatChar => Some(self.format(intrinsic, "clef_format_char", arguments, made(allocation, span))),
            Zero | One | DivideByInt => {
                bug("generate", span, "an intrinsic that should have been lowered reached code generation")
            }
            TextBegin => Some(self.begin_text(made(allocation, span))),
            TextWrite => self.write_text("clef_text_write", arguments),
            TextAppend => self.write_text("clef_text_append", arguments),
            TextAppendInt => self.append_number("clef_text_append_signed_word", arguments),
            TextAppendUInt => self.append_number("clef_text_append_unsigned_word", arguments),
            TextAppendByte => self.append_byte(&arguments[0], &arguments[1]),
            TextEnd => {
                let buffer = self.code.string_buffer();
                let target = self.value(&arguments[0]);
                self.code.runtime_effect("clef_text_end", &[buffer, target]);
                Some(self.code.load_string(buffer))
            }
            LogTrace | LogDebug | LogInfo | LogWarn | LogError => {
                bug("generate", span, "a log message that should have been lowered reached code generation")
            }
            LogBegin => self.log_begin(&arguments[0], &arguments[1], span),
            LogValue => self.log_value(&arguments[0]),
            LogString => self.write_string("clef_log_string", &arguments[0]),
            LogName => self.log_name(&arguments[0], span),
            LogTest => self.log_test(&arguments[0], span),
            LogEnd => {
                self.code.runtime_effect("clef_log_end", &[]);
                None
            }
            ParseSigned => Some(self.parse("clef_parse_signed", arguments, ty)),
            ParseUnsigned => Some(self.parse("clef_parse_unsigned", arguments, ty)),
            ParseFloat => Some(self.parse("clef_parse_float64", arguments, ty)),
            ParseFloat32 => Some(self.parse("clef_parse_float32", arguments, ty)),
            TimeNow => {
                let ty = self.code.emit.int(i64::BITS);
                Some(self.code.runtime("clef_time_now", ty, &[]))
            }
            TimeWait => {
                let microseconds = self.value(&arguments[0]);
                self.code.runtime_effect("clef_time_wait", &[microseconds]);
                None
            }
            TimeIdle => {
                let microseconds = self.value(&arguments[0]);
                self.code.runtime_effect("clef_time_idle", &[microseconds]);
                None
            }
            TestWanted => {
                let index = self.value(&arguments[0]);
                let truth = self.code.emit.bool();
                Some(self.code.runtime("clef_test_wanted", truth, &[index]))
            }
            WordSize => {
                let bits = self.code.shared.layouts.word_bits();
                Some(self.code.word_constant(bits.into()))
            }
            // Evacuation may read a pointer before it is set.
            Unset if self.code.shared.tables.has_pointers(ty) => {
                self.code.machine_type(ty).map(|ty| self.code.emit.zero(ty))
            }
            Unset => self.code.machine_type(ty).map(|ty| self.code.emit.undef(ty)),
            FloatBits | FloatFromBits => {
                let value = self.value(&arguments[0]);
                let to = self.code.machine_type(ty)?;
                Some(self.code.emit.bitcast(value, to))
            }
        }
    }

    pub(crate) fn write_string(&mut self, function: &str, string: &Atom) -> Option<Value<'m>> {
        let parts = self.string_parts(string);
        self.code.runtime_effect(function, &parts);
        None
    }

    /// A growing string in this frame: its address as a number.
    fn begin_text(&mut self, allocation: AllocationId) -> Value<'m> {
        let bytes = self.code.shared.layouts.word_bits() / 8;
        let buffer = self.code.emit.alloca_bytes(TEXT_WORDS * bytes, u64::from(bytes));
        let [region, site] = self.string_region(allocation);
        self.code.runtime_effect("clef_text_begin", &[buffer, region, site]);
        let word = self.code.word();
        self.code.emit.ptrtoint(buffer, word)
    }

    fn write_text(&mut self, function: &str, arguments: &[Atom]) -> Option<Value<'m>> {
        let [address, length] = self.string_parts(&arguments[1]);
        let target = self.value(&arguments[0]);
        self.code.runtime_effect(function, &[target, address, length]);
        None
    }

    /// Appends a number with a minimum of digits.
    fn append_number(&mut self, function: &str, arguments: &[Atom]) -> Option<Value<'m>> {
        let [text, value, digits] = [0, 1, 2].map(|index| self.value(&arguments[index]));
        let digits = self.code.half_of(digits);
        self.code.runtime_effect(function, &[text, value, digits]);
        None
    }

    fn append_byte(&mut self, text: &Atom, byte: &Atom) -> Option<Value<'m>> {
        let (text, byte) = (self.value(text), self.value(byte));
        self.code.runtime_effect("clef_text_append_byte", &[text, byte]);
        None
    }

    fn read_line(&mut self, ty: Type, allocation: AllocationId) -> Value<'m> {
        let buffer = self.code.string_buffer();
        let [region, site] = self.string_region(allocation);
        let truth = self.code.emit.bool();
        let found = self.code.runtime("clef_console_read_line", truth, &[buffer, region, site]);
        let line = self.code.load_string(buffer);
        self.code.pair(ty, found, line)
    }

    fn exit(&mut self, status: &Atom, ty: Type) -> Option<Value<'m>> {
        let status = self.value(status);
        let status = self.code.half_of(status);
        self.code.runtime_end("clef_exit", &[status]);
        self.code.after_end(ty)
    }

    fn fail(&mut self, message: &Atom, ty: Type, span: Span) -> Option<Value<'m>> {
        let [address, length] = self.string_parts(message);
        self.code.trap_with(None, [address, length], span);
        self.code.after_end(ty)
    }

    fn fail_text(&mut self, text: &Atom, message: &Atom, ty: Type, span: Span) -> Option<Value<'m>> {
        let [address, length] = self.string_parts(text);
        let [message, message_length] = self.string_parts(message);
        self.code.trap_with(Some([address, length]), [message, message_length], span);
        self.code.after_end(ty)
    }

    fn string_byte(&mut self, string: &Atom, index: &Atom, span: Span) -> Value<'m> {
        let [address, length] = self.string_parts(string);
        let index = self.value(index);
        let inside = self.code.emit.icmp(IntPredicate::Ult, index, length);
        self.code.trap_unless(inside, TrapCause::IndexOutOfRange, span);
        let at = self.code.emit.offset_by(address, index);
        let byte = self.code.emit.int(8);
        self.code.emit.load(byte, at, Memory::aligned(1))
    }

    /// A substring from a string, a start and a length; it shares the bytes.
    fn string_slice(&mut self, arguments: &[Atom], span: Span) -> Value<'m> {
        let [address, whole] = self.string_parts(&arguments[0]);
        let (start, length) = (self.value(&arguments[1]), self.value(&arguments[2]));
        let starts_inside = self.code.emit.icmp(IntPredicate::Ule, start, whole);
        let rest = self.code.emit.sub(whole, start);
        let ends_inside = self.code.emit.icmp(IntPredicate::Ule, length, rest);
        let inside = self.code.emit.and(starts_inside, ends_inside);
        self.code.trap_unless(inside, TrapCause::IndexOutOfRange, span);
        let address = self.code.emit.offset_by(address, start);
        self.code.make_string(address, length)
    }

    /// Formats a value: writes to a buffer in the frame, which becomes the string itself if the string may be on the
    /// stack.
    fn format(
        &mut self,
        intrinsic: Intrinsic,
        function: &str,
        arguments: &[Atom],
        allocation: AllocationId,
    ) -> Value<'m> {
        let size = intrinsic.properties().largest.unwrap_or_default().0 as u32;
        let storage = self.code.storage(allocation);
        let buffer = match storage {
            Storage::Stack => self.code.emit.alloca_bytes(size, 1),
            Storage::Static | Storage::Region(_) => self.code.scratch(size),
        };
        let mut passed = vec![buffer];
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.value(argument);
            // After the value come digit counts, of type `int`, and booleans.
            let is_count = index > 0 && value.ty() == self.code.word();
            passed.push(if is_count { self.code.half_of(value) } else { value });
        }
        let word = self.code.word();
        let length = self.code.runtime(function, word, &passed);
        match storage {
            Storage::Stack => self.code.make_string(buffer, length),
            Storage::Static | Storage::Region(_) => {
                let string = self.code.string_buffer();
                let [region, site] = self.string_region(allocation);
                self.code.runtime_effect("clef_string_copy", &[string, region, buffer, length, site]);
                self.code.load_string(string)
            }
        }
    }

    /// Parses a string; for integers the bit width follows. Yields whether it was a number, and the number.
    fn parse(&mut self, function: &str, arguments: &[Atom], ty: Type) -> Value<'m> {
        let kind = self.code.shared.program.types.kind(ty).clone();
        let clef_types::TypeKind::Tuple(parts) = kind else {
            self.code.bug("a parsing intrinsic does not return a tuple")
        };
        let Some(number) = self.code.machine_type(parts[1]) else {
            self.code.bug("a parsed number has no representation")
        };
        let access = self.code.access(&self.code.repr(parts[1]));
        let buffer = self.code.scratch(u64::BITS / 8);
        let zero = self.code.emit.zero(number);
        self.code.emit.store(zero, buffer, access);
        let [address, length] = self.string_parts(&arguments[0]);
        let mut passed = vec![buffer, address, length];
        if let Some(bits) = arguments.get(1) {
            let bits = self.value(bits);
            passed.push(self.code.half_of(bits));
        }
        let truth = self.code.emit.bool();
        let found = self.code.runtime(function, truth, &passed);
        let value = self.code.emit.load(number, buffer, access);
        self.code.pair(ty, found, value)
    }
}

impl<'m> Code<'_, '_, 'm> {
    fn pair(&mut self, ty: Type, first: Value<'m>, second: Value<'m>) -> Value<'m> {
        match self.machine_type(ty) {
            Some(ty) => self.emit.make_record(ty, &[first, second]),
            None => self.bug("a pair has no representation"),
        }
    }

    /// Code after a call that never returns: it is emitted, and never runs.
    fn after_end(&mut self, ty: Type) -> Option<Value<'m>> {
        let block = self.emit.block(&[]);
        self.emit.position(block);
        let ty = self.machine_type(ty)?;
        Some(self.emit.undef(ty))
    }

    /// A word as 32 bits.
    fn half_of(&mut self, value: Value<'m>) -> Value<'m> {
        let half = self.emit.int(32);
        if self.shared.layouts.word_bits() > 32 { self.emit.trunc(value, half) } else { value }
    }
}

/// The allocation of an intrinsic that allocates.
fn made(allocation: Option<AllocationId>, span: Span) -> AllocationId {
    allocation.unwrap_or_else(|| bug("generate", span, "an allocating intrinsic has no allocation"))
}
