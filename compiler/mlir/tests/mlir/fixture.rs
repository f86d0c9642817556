//! Machines, a layout and a program for the tests.

use clef_base::{Bytes, Extent};
use clef_mlir::{
    Build, Capture, Emit, Function, Module, Session, Signature, Storage, Tail, Type, Value,
    llvm::{CodeModel, Compiled, Level, Machine, Options, PART_SIZE, compile},
    pass::{Dropped, Layout, Lowering, Slot, lower},
};

/// A hosted x86-64.
pub(crate) fn x86_64() -> Machine {
    machine("x86_64-unknown-linux-gnu", "x86-64")
}

/// A Cortex-M4 without a floating-point unit.
pub(crate) fn cortex_m4() -> Machine {
    machine("thumbv7em-none-eabi", "cortex-m4")
}

/// A Cortex-A53 without an operating system.
pub(crate) fn cortex_a53() -> Machine {
    machine("aarch64-unknown-none-elf", "cortex-a53")
}

/// A Cortex-M0, whose calls are never turned into jumps.
pub(crate) fn cortex_m0() -> Machine {
    machine("thumbv6m-none-eabi", "cortex-m0")
}

/// A machine without features beyond its processor's.
pub(crate) fn machine(triple: &str, cpu: &str) -> Machine {
    Machine {
        triple: triple.to_owned(),
        cpu: cpu.to_owned(),
        features: String::new(),
        code_model: CodeModel::Default,
        position_independent: false,
    }
}

/// The width of a machine's pointers.
pub(crate) fn word_bits(machine: &Machine) -> u32 {
    machine.data_layout().expect("a known machine").pointer_bits
}

/// What the passes must know of a machine.
pub(crate) fn lowering(machine: &Machine) -> Lowering<'static> {
    let word_bits = word_bits(machine);
    let layout: &dyn Fn(&[Slot]) -> Layout = if word_bits == 32 { &in_order::<4> } else { &in_order::<8> };
    Lowering { word_bits, thumb: machine.triple.starts_with("thumb"), region_words: 8, layout }
}

fn in_order<const WORD: u64>(slots: &[Slot]) -> Layout {
    let (mut size, mut align, mut offsets) = (WORD, WORD, Vec::new());
    for slot in slots {
        let offset = size.next_multiple_of(slot.align);
        offsets.push(offset);
        size = offset + slot.size;
        align = align.max(slot.align);
    }
    let extent = Extent { size: Bytes(size.next_multiple_of(align)), align: Bytes(align) };
    Layout { extent, in_region: extent, offsets }
}

/// Runs all passes for a machine.
pub(crate) fn lowered(module: &mut Module<'_>, machine: &Machine) -> Vec<Dropped> {
    lower(module, &lowering(machine)).expect("lowers")
}

/// Compiles a program to a machine; `main` and `clef_main` stay visible.
pub(crate) fn compiled(machine: &Machine, level: Level, program: impl for<'m> FnOnce(Build<'m>)) -> Compiled {
    compiled_in_parts(machine, level, PART_SIZE, program)
}

/// The same, in parts of at least `part_size` instructions.
pub(crate) fn compiled_in_parts(
    machine: &Machine,
    level: Level,
    part_size: usize,
    program: impl for<'m> FnOnce(Build<'m>),
) -> Compiled {
    let session = Session::new();
    let mut module = session.module(program).expect("verifies");
    lowered(&mut module, machine);
    let keep = &["main", "clef_main"];
    let options =
        Options { level, debug: None, keep, runtime: None, is_linked_to_others: false, is_library: false, part_size };
    compile(&mut module, machine, &options).expect("compiles")
}

/// An integer capture.
pub(crate) fn word<'m>(m: &Build<'m>, bits: u32) -> Capture<'m> {
    let bytes = u64::from(bits / 8);
    Capture { ty: m.int(bits), size: bytes, align: bytes }
}

/// Defines `name` as the code of closures of one integer argument; `body` gives the result from the closure, the argument.
pub(crate) fn define_code<'m>(
    m: &Build<'m>,
    name: &str,
    captures: Vec<Capture<'m>>,
    int: Type<'m>,
    body: impl FnOnce(&mut Emit<'m>, &Signature<'m>, Value<'m>, Value<'m>) -> Value<'m>,
) -> Signature<'m> {
    let signature = Signature::tail([int], Some(int));
    let mut e = m.define(&Function::new(name, signature.with_first(m.ptr())).arity(1).captures(captures));
    let [closure, argument] = e.arguments()[..] else { panic!("two parameters") };
    let result = body(&mut e, &signature, closure, argument);
    e.ret(Some(result));
    signature
}

/// `let makeAdder n = fun x -> n + x`, applied to 40 and 2, with a first capture that is never read.
pub(crate) fn make_adder(m: Build<'_>, bits: u32) {
    let int = m.int(bits);
    let adds = define_code(&m, "adder", vec![word(&m, bits); 2], int, |e, adds, closure, x| {
        e.at("adder.clef", 1, 26);
        let n = e.capture(closure, adds, 1, int);
        e.add(n, x)
    });
    let makes = Signature::tail([int], Some(m.ptr()));
    let mut e = m.define(&Function::new("makeAdder", makes.clone()).attribute("noinline").at("adder.clef", 1, 5));
    e.at("adder.clef", 1, 17);
    let n = e.arguments()[0];
    let region = e.region_program();
    let site = e.null();
    let closure = e.closure_make("adder", &adds, Storage::Region { region, site }, &[n, n]);
    e.ret(Some(closure));

    let main = Function::new("clef_main", Signature::c([], Some(m.int(32)))).external().at("adder.clef", 2, 1);
    let mut e = m.define(&main);
    e.at("adder.clef", 2, 5);
    let forty = e.iconst(int, 40);
    let adder = e.call("makeAdder", &makes, &[forty], Tail::No).expect("a result");
    let two = e.iconst(int, 2);
    let sum = e.closure_invoke(adder, &adds, &[two], Tail::No).expect("a result");
    let status = if bits == 32 { sum } else { e.trunc(sum, m.int(32)) };
    e.ret(Some(status));
}

/// Fails unless every line stands in the text.
#[track_caller]
pub(crate) fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|other| other.trim() == *line), "no line\n{line}\nin\n{text}");
    }
}
