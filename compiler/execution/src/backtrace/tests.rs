//! Unwinding of a small program for Cortex-M: `start` calls `outer`, which calls `inner`.

use super::{
    Machine, Registers,
    code::Code,
    unwind::{self, Call, End, Tables},
};

/// Three functions of 16 bytes: at 0x100 `inner`, at 0x110 `outer`, at 0x120 `start`. The others call at their offset 4.
fn code() -> Code {
    let call: [u8; 16] = [0, 0, 0, 0, 0, 0xf0, 0, 0xf8, 0, 0, 0, 0, 0, 0, 0, 0];
    Code::for_tests(0x100, &[("inner", &[0; 16]), ("outer", &call), ("start", &call)])
}

/// `.debug_frame` of version 1: `inner` has no frame, the others store `r7` and `lr`.
fn tables() -> Vec<u8> {
    // Version 1, no augmentation, alignments 1 and -4, return address in r14; the frame ends at r13.
    let mut bytes = vec![0x0c, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x7c, 14, 0x0c, 13, 0];
    // Advance by 2; the frame ends 8 after r13; r14 is in its last word, r7 before it.
    let frame: [u8; 8] = [0x42, 0x0e, 8, 0x8e, 1, 0x87, 2, 0];
    for (start, rules) in [(0x100_u32, [0; 8]), (0x110, frame), (0x120, frame)] {
        bytes.extend([0x14, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(start.to_le_bytes());
        bytes.extend(16_u32.to_le_bytes());
        bytes.extend(rules);
    }
    bytes
}

/// The stack at 0x1000: the frames of `outer` and `start`.
const STACK: [u32; 4] = [7, 0x129, 0x77, 0xffff_ffff];

fn registers() -> Registers {
    Registers::new(0x104, [(13, 0x1000), (14, 0x119), (7, 1)])
}

fn calls(tables: &[u8], stack: &[u32]) -> (Vec<Call>, End) {
    let code = code();
    let tables = Tables::new(tables, Machine::Arm, 0x1000 + 4 * stack.len() as u64);
    let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut read = |address: u64, count: usize| {
        let at = usize::try_from(address.checked_sub(0x1000)?).ok()?;
        bytes.get(at..at.checked_add(count)?).map(<[u8]>::to_vec)
    };
    unwind::calls(&code, &tables, &registers(), &mut read)
}

fn addresses(calls: &[Call]) -> Vec<u64> {
    calls.iter().map(|call| call.address).collect()
}

#[test]
fn callers_are_found_by_the_tables() {
    let (calls, end) = calls(&tables(), &STACK);
    assert_eq!((addresses(&calls), end), (vec![0x104, 0x117, 0x127], End::Damaged));
}

#[test]
fn nothing_is_guessed_without_tables() {
    let (calls, end) = calls(&[], &STACK);
    assert_eq!((addresses(&calls), end), (vec![0x104], End::NoTable));
}

#[test]
fn only_what_follows_a_call_is_a_return_address() {
    for wrong in [0, 0x128, 0x127, 0x12b, 0x5555_5555, u32::MAX] {
        let (calls, _) = calls(&tables(), &[7, wrong, 0x77, 0]);
        assert_eq!(addresses(&calls), [0x104, 0x117], "{wrong:x}");
    }
    assert_eq!(addresses(&calls(&tables(), &STACK[..1]).0), [0x104, 0x117]);
}

#[test]
fn an_interrupted_function_continues_the_list() {
    // `outer` returns from an exception, whose frame has the state of `inner`, called by `start`.
    let stack = [7, 0xffff_fff9, 0, 0, 0, 0, 0, 0x129, 0x106, 0x0100_0000, 7, 0xffff_ffff];
    let (calls, _) = calls(&tables(), &stack);
    assert_eq!(addresses(&calls), [0x104, 0x117, 0x106, 0x127]);
    assert_eq!(calls.iter().map(|call| call.is_interrupted).collect::<Vec<_>>(), [false, false, true, false]);
}

/// Pseudo-random numbers (Marsaglia, "Xorshift RNGs").
struct Numbers(u32);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % below
    }
}

#[test]
fn damaged_tables_and_stacks_end_the_list() {
    let mut numbers = Numbers(1);
    for _ in 0..20_000 {
        let mut tables = tables();
        for _ in 0..=numbers.next(4) {
            let at = numbers.next(tables.len());
            tables[at] = numbers.next(256) as u8;
        }
        let stack: Vec<u32> = (0..numbers.next(40))
            .map(|_| [0x119, 0x129, 0xffff_fff9, 0xffff_ffe9, 0x1004, numbers.next(usize::MAX) as u32][numbers.next(6)])
            .collect();
        let (calls, _) = calls(&tables, &stack);
        assert!(calls.len() <= stack.len() + 2, "{calls:x?}");
    }
}
