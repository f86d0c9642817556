//! Expressions are parsed and evaluated by parser combinators.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;

type Parser<T> = Box<dyn Fn(&[u8], usize) -> Option<(T, usize)>>;

fn satisfy(condition: impl Fn(u8) -> bool + 'static) -> Parser<u8> {
    Box::new(move |text, index| text.get(index).filter(|own| condition(**own)).map(|own| (*own, index + 1)))
}

fn map<A: 'static, B: 'static>(f: impl Fn(A) -> B + 'static, parser: Parser<A>) -> Parser<B> {
    Box::new(move |text, index| parser(text, index).map(|(value, next)| (f(value), next)))
}

fn either<A: 'static>(first: Parser<A>, second: Parser<A>) -> Parser<A> {
    Box::new(move |text, index| first(text, index).or_else(|| second(text, index)))
}

fn both<A: 'static, B: 'static>(first: Parser<A>, second: Parser<B>) -> Parser<(A, B)> {
    Box::new(move |text, index| {
        let (one, next) = first(text, index)?;
        second(text, next).map(|(other, next)| ((one, other), next))
    })
}

/// A first part, and any number of more that are folded into it.
fn chain<A: 'static, B: 'static>(first: Parser<A>, more: Parser<B>, folder: fn(A, B) -> A) -> Parser<A> {
    Box::new(move |text, index| {
        let (mut value, mut index) = first(text, index)?;
        while let Some((other, next)) = more(text, index) {
            value = folder(value, other);
            index = next;
        }
        Some((value, index))
    })
}

fn symbol(wanted: u8) -> Parser<u8> {
    satisfy(move |own| own == wanted)
}

fn digit() -> Parser<i32> {
    map(|own| i32::from(own - b'0'), satisfy(|own| own.is_ascii_digit()))
}

fn number() -> Parser<i32> {
    chain(digit(), digit(), |number, digit| (number * 10 + digit) & 0xFFFF)
}

fn calculate(value: i32, (operator, operand): (u8, i32)) -> i32 {
    match operator {
        b'+' => (value + operand) & 0xFFFF,
        b'-' => (value - operand) & 0xFFFF,
        _ => (value * operand) & 0x7FFF,
    }
}

fn expression(text: &[u8], index: usize) -> Option<(i32, usize)> {
    let sign = either(symbol(b'+'), symbol(b'-'));
    chain(Box::new(term), both(sign, Box::new(term)), calculate)(text, index)
}

fn term(text: &[u8], index: usize) -> Option<(i32, usize)> {
    chain(Box::new(factor), both(symbol(b'*'), Box::new(factor)), calculate)(text, index)
}

fn factor(text: &[u8], index: usize) -> Option<(i32, usize)> {
    let closed = both(Box::new(expression), symbol(b')'));
    let inner = map(|(_, (value, _))| value, both(symbol(b'('), closed));
    either(number(), inner)(text, index)
}

const TEXTS: [&str; 4] =
    ["1+2*3-4", "(12+34)*(56-7)*2", "((1+2)*(3+4)+5)*(6+(7*(8+9)))", "100*200-300*(4+5*(6-7*(8+9)))+1234"];

fn run(size: i32) -> i32 {
    (1..=size).fold(0, |sum, round| match expression(TEXTS[(round & 3) as usize].as_bytes(), 0) {
        Some((value, stop)) => ((sum * 31) ^ (value + stop as i32)) & 0xFFFFFF,
        None => 0,
    })
}

bench::main!(run);
