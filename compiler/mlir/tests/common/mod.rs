//! Machines, a layout and a program for the tests.

use clef_mlir::{
    Build, Capture, Function, Signature, Storage, Tail,
    llvm::{CodeModel, Machine},
    pass::{Layout, Lowering, Slot},
};

/// A hosted x86-64.
pub fn x86_64() -> Machine {
    machine("x86_64-unknown-linux-gnu", "x86-64")
}

/// A Cortex-M4 without a floating-point unit.
pub fn cortex_m4() -> Machine {
    machine("thumbv7em-none-eabi", "cortex-m4")
}

fn machine(triple: &str, cpu: &str) -> Machine {
    Machine {
        triple: triple.to_owned(),
        cpu: cpu.to_owned(),
        features: String::new(),
        code_model: CodeModel::Default,
        position_independent: false,
    }
}

/// What the passes must know of a machine.
pub fn lowering(machine: &Machine) -> Lowering<'static> {
    let word_bits = machine.data_layout().expect("a known machine").pointer_bits;
    let thumb = machine.triple.starts_with("thumb");
    let layout: &dyn Fn(&[Slot]) -> Layout = if word_bits == 32 { &in_order::<4> } else { &in_order::<8> };
    Lowering { word_bits, thumb, layout }
}

fn in_order<const WORD: u64>(slots: &[Slot]) -> Layout {
    let mut layout = Layout { size: WORD, align: WORD, offsets: Vec::new() };
    for slot in slots {
        let offset = layout.size.next_multiple_of(slot.align);
        layout.offsets.push(offset);
        layout.size = offset + slot.size;
        layout.align = layout.align.max(slot.align);
    }
    layout.size = layout.size.next_multiple_of(layout.align);
    layout
}

/// `let makeAdder n = fun x -> n + x`, applied to 40 and 2, with a second capture that is never read.
pub fn make_adder(m: Build<'_>, word: u32) {
    let (int, ptr) = (m.int(word), m.ptr());
    let bytes = u64::from(word / 8);
    let adds = Signature::tail([int], Some(int));
    let makes = Signature::tail([int], Some(ptr));

    let captures = vec![Capture { ty: int, size: bytes, align: bytes }; 2];
    let code = Function::new("adder", adds.with_first(ptr)).arity(1).captures(captures).at("adder.clef", 1, 17);
    let mut e = m.define(&code);
    e.at("adder.clef", 1, 26);
    let [closure, x] = e.arguments()[..] else { panic!("two parameters") };
    let n = e.capture(closure, &adds, 1, int);
    let sum = e.add(n, x);
    e.ret(Some(sum));

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
    let status = if word == 32 { sum } else { e.trunc(sum, m.int(32)) };
    e.ret(Some(status));
}
