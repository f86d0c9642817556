//! The intrinsics of the library on values.

use super::{
    Interpreter, Stop, TrapKind,
    integer::{nearest, range},
    text::{self, minimum},
    value::Value,
};
use clef_base::{Span, internal::bug};
use clef_types::{IntegerType, Intrinsic, LogLevel, float_text};

/// The number of targets of `text_write` that are consoles.
const CONSOLES: i128 = 2;

impl Interpreter<'_> {
    /// Adds to the string that is being built.
    fn append(&mut self, text: &[u8], span: Span) {
        let Some(open) = self.texts.last_mut() else { bug("interpret", span, "no string is being built") };
        open.extend_from_slice(text);
    }

    /// Performs an intrinsic on as many arguments as it takes. Never inlined, so that deep nesting takes little stack.
    #[inline(never)]
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Value], span: Span) -> Result<Value, Stop> {
        use Value::{Bool, Char, Float32, Float64, Integer, Text, Unit};
        if let Some(result) = self.pointers(intrinsic, arguments, span) {
            return result;
        }
        if let Some(result) = self.bits(intrinsic, arguments) {
            return Ok(result);
        }
        Ok(match (intrinsic, arguments) {
            (Intrinsic::ConsoleWrite, [Text(text)]) => {
                self.console.output.write_all(text)?;
                Unit
            }
            (Intrinsic::ConsoleError, [Text(text)]) => {
                self.console.errors.write_all(text)?;
                Unit
            }
            (
                Intrinsic::LogTrace
                | Intrinsic::LogDebug
                | Intrinsic::LogInfo
                | Intrinsic::LogWarn
                | Intrinsic::LogError,
                [Text(text)],
            ) => {
                let level = intrinsic.log_level().map_or("", LogLevel::name).to_uppercase();
                writeln!(self.console.log, "{level:5} {}", String::from_utf8_lossy(text))?;
                Unit
            }
            (Intrinsic::ConsoleReadLine, [_]) => self.read_line()?,
            (Intrinsic::ArgumentCount, [_]) => self.int(self.console.arguments.len() as i128),
            (Intrinsic::Argument, [Integer(_, index)]) => {
                let argument = usize::try_from(*index).ok().and_then(|index| self.console.arguments.get(index));
                argument.map_or_else(|| bug("interpret", span, "no such argument"), |text| Value::text(text))
            }
            (Intrinsic::Exit, [Integer(_, status)]) => return Err(Stop::Exit(*status as i32)),
            (Intrinsic::Fail, [Text(message)]) => {
                let message = String::from_utf8_lossy(message).into_owned();
                return Err(Stop::trap(TrapKind::Message(message), span));
            }
            (Intrinsic::FailText, [Text(text), Text(message)]) => return Err(not_a(text, message, span)),
            (Intrinsic::Assert, [Bool(true)]) => Unit,
            (Intrinsic::Assert, [Bool(false)]) => return Err(Stop::trap(TrapKind::AssertionFailed, span)),
            (Intrinsic::StringLength, [Text(text)]) => self.int(text.len() as i128),
            (Intrinsic::StringByte, [Text(text), Integer(_, index)]) => {
                let byte = usize::try_from(*index).ok().and_then(|index| text.get(index));
                let byte = byte.ok_or_else(|| Stop::trap(TrapKind::IndexOutOfRange, span))?;
                Integer(IntegerType::U8, i128::from(*byte))
            }
            (Intrinsic::StringSlice, [Text(text), Integer(_, start), Integer(_, length)]) => {
                slice(text, *start, *length).ok_or_else(|| Stop::trap(TrapKind::IndexOutOfRange, span))?
            }
            (Intrinsic::StringOfBytes, [Value::Array(bytes), Integer(_, start), Integer(_, length)]) => {
                let byte = |value: &Value| if let Integer(_, byte) = value { *byte as u8 } else { 0 };
                let bytes: Vec<u8> = bytes.borrow().iter().map(byte).collect();
                slice(&bytes, *start, *length).ok_or_else(|| Stop::trap(TrapKind::IndexOutOfRange, span))?
            }
            (Intrinsic::Unset, [_]) => Value::Nothing,
            (Intrinsic::ArrayZero, [Integer(_, length)]) => match usize::try_from(*length) {
                Ok(length) => Value::array(vec![Value::Nothing; length]),
                Err(_) => return Err(Stop::trap(TrapKind::NegativeLength, span)),
            },
            (Intrinsic::ListReverse, [list, onto]) => reversed(list, onto),
            (Intrinsic::One, [Integer(kind, _)]) => Integer(*kind, 1),
            (Intrinsic::One, [Float64(_)]) => Float64(1.0),
            (Intrinsic::One, [Float32(_)]) => Float32(1.0),
            (Intrinsic::DivideByInt, [Float64(value), Integer(_, by)]) => Float64(value / *by as f64),
            (Intrinsic::DivideByInt, [Float32(value), Integer(_, by)]) => Float32(value / *by as f32),
            (Intrinsic::AddSaturating, [Integer(kind, left), Integer(_, right)]) => {
                Integer(*kind, nearest(*kind, left + right, self.facts))
            }
            (Intrinsic::SubtractSaturating, [Integer(kind, left), Integer(_, right)]) => {
                Integer(*kind, nearest(*kind, left - right, self.facts))
            }
            (Intrinsic::ArrayLength, [Value::Array(elements)]) => self.int(elements.borrow().len() as i128),
            (Intrinsic::ArrayGet, [Value::Array(elements), Integer(_, index)]) => {
                let elements = elements.borrow();
                let element = usize::try_from(*index).ok().and_then(|index| elements.get(index));
                element.cloned().ok_or_else(|| Stop::trap(TrapKind::IndexOutOfRange, span))?
            }
            (Intrinsic::ArraySet | Intrinsic::ArrayPut, [Value::Array(elements), Integer(_, index), value]) => {
                let mut elements = elements.borrow_mut();
                match usize::try_from(*index).ok().and_then(|index| elements.get_mut(index)) {
                    Some(element) => *element = value.clone(),
                    None => return Err(Stop::trap(TrapKind::IndexOutOfRange, span)),
                }
                Unit
            }
            (
                Intrinsic::FormatInt64 | Intrinsic::FormatUInt64 | Intrinsic::FormatInt | Intrinsic::FormatUInt,
                [Integer(_, value), Integer(_, digits)],
            ) => Value::text(&text::decimal(*value, minimum(*digits))),
            (Intrinsic::FormatRadix, [Integer(_, bits), Integer(_, radix), Integer(_, digits), Bool(upper)]) => {
                Value::text(&text::radix(*bits as u64, *radix as u32, minimum(*digits), *upper))
            }
            (Intrinsic::FormatFloat, [Float64(value)]) => Value::text(&float_text::shortest_float64(*value)),
            (Intrinsic::FormatFloat32, [Float32(value)]) => Value::text(&float_text::shortest_float32(*value)),
            (Intrinsic::FormatFixed, [Float64(value), Integer(_, digits)]) => {
                Value::text(&float_text::fixed(*value, minimum(*digits)))
            }
            (Intrinsic::FormatExponent, [Float64(value), Integer(_, digits), Bool(upper)]) => {
                Value::text(&float_text::exponent(*value, minimum(*digits), *upper))
            }
            (Intrinsic::FormatSignificant, [Float64(value), Integer(_, digits), Bool(upper)]) => {
                Value::text(&float_text::significant(*value, minimum(*digits), *upper))
            }
            (Intrinsic::TextBegin, [_]) => {
                self.texts.push(Vec::new());
                Integer(IntegerType::NativeInt, self.texts.len() as i128 + CONSOLES)
            }
            (Intrinsic::TextWrite | Intrinsic::TextAppend, [Integer(_, target), Text(text)]) => {
                match *target {
                    1 => self.console.output.write_all(text)?,
                    2 => self.console.errors.write_all(text)?,
                    _ => self.append(text, span),
                }
                Unit
            }
            (Intrinsic::TextAppendInt | Intrinsic::TextAppendUInt, [_, Integer(_, value), Integer(_, digits)]) => {
                self.append(text::decimal(*value, minimum(*digits)).as_bytes(), span);
                Unit
            }
            (Intrinsic::TextAppendByte, [_, Integer(_, byte)]) => {
                self.append(&[*byte as u8], span);
                Unit
            }
            (Intrinsic::TextEnd, [_]) => Text(self.texts.pop().unwrap_or_default().into()),
            (Intrinsic::FormatChar, [Char(code)]) => Value::text(&text::character(*code)),
            (Intrinsic::ParseSigned, [Text(text), Integer(_, bits)]) => {
                parse_integer(text, *bits, [IntegerType::I8, IntegerType::I16, IntegerType::I32, IntegerType::I64])
            }
            (Intrinsic::ParseUnsigned, [Text(text), Integer(_, bits)]) => {
                parse_integer(text, *bits, [IntegerType::U8, IntegerType::U16, IntegerType::U32, IntegerType::U64])
            }
            (Intrinsic::ParseFloat, [Text(text)]) => found(parse(text).map(Float64), Float64(0.0)),
            (Intrinsic::ParseFloat32, [Text(text)]) => found(parse(text).map(Float32), Float32(0.0)),
            (Intrinsic::TimeNow, [_]) => {
                self.clock += 1;
                Integer(IntegerType::I64, self.clock)
            }
            (Intrinsic::TimeWait | Intrinsic::TimeIdle, [Integer(_, microseconds)]) => {
                self.clock += microseconds.max(&0);
                Unit
            }
            (Intrinsic::TestWanted, [_]) => Bool(true),
            (Intrinsic::LogTest, [_]) => Unit,
            (Intrinsic::WordSize, [_]) => self.int(i128::from(self.facts.word_bits)),
            (Intrinsic::FloatBits, [Float64(value)]) => {
                Integer(IntegerType::I64, i128::from(value.to_bits().cast_signed()))
            }
            (Intrinsic::FloatFromBits, [Integer(_, bits)]) => Float64(f64::from_bits(*bits as u64)),
            (intrinsic, arguments) => {
                let kinds: Vec<&str> = arguments.iter().map(Value::describe).collect();
                bug("interpret", span, format!("the intrinsic {} on {}", intrinsic.name(), kinds.join(", ")))
            }
        })
    }

    /// A line without its terminator, `\n` or `\r\n`.
    fn read_line(&mut self) -> Result<Value, Stop> {
        self.console.output.flush()?;
        let mut line = Vec::new();
        let any = self.console.input.read_until(b'\n', &mut line)? > 0;
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        }
        Ok(Value::pair(Value::Bool(any), Value::Text(line.into())))
    }
}

/// The trap for a string that cannot be converted, with its control characters escaped.
pub(super) fn not_a(text: &[u8], message: &[u8], span: Span) -> Stop {
    let [text, message] = [text, message].map(String::from_utf8_lossy);
    let escape = |character: char| match character.is_control() {
        true => format!("\\{:03}", character as u32),
        false => character.into(),
    };
    let text: String = text.chars().map(escape).collect();
    Stop::trap(TrapKind::Message(format!("\"{text}\"{message}")), span)
}

fn slice(text: &[u8], start: i128, length: i128) -> Option<Value> {
    let start = usize::try_from(start).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    text.get(start..end).map(|bytes| Value::Text(bytes.into()))
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Parses an integer in the range of the type of `bits` bits; the intrinsic returns the widest type.
fn parse_integer(text: &[u8], bits: i128, types: [IntegerType; 4]) -> Value {
    // None of the types is a word.
    let facts = crate::TargetFacts { word_bits: 64 };
    let [.., widest] = types;
    let kind = types.into_iter().find(|kind| i128::from(kind.bits(facts.word_bits)) == bits);
    let (smallest, largest) = range(kind.unwrap_or(widest), facts);
    // The sign of an unsigned number may only be `+`.
    let signed = widest.is_signed() || !text.starts_with(b"-");
    let value = parse::<i128>(text).filter(|value| signed && (smallest..=largest).contains(value));
    found(value.map(|value| Value::Integer(widest, value)), Value::Integer(widest, 0))
}

fn found(value: Option<Value>, otherwise: Value) -> Value {
    Value::pair(Value::Bool(value.is_some()), value.unwrap_or(otherwise))
}

/// Reverses a list before another list.
fn reversed(list: &Value, onto: &Value) -> Value {
    let (mut rest, mut result) = (list.clone(), onto.clone());
    while let Value::Case(case, fields) = &rest
        && let [head, tail] = &fields[..]
    {
        result = Value::Case(*case, [head.clone(), result].into());
        let tail = tail.clone();
        rest = tail;
    }
    result
}
