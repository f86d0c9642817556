//! Closures from builder calls to machine code.

mod common;

use clef_mlir::{
    Session,
    llvm::{Level, Options, compile},
    pass::lower,
};
use common::{cortex_m4, lowering, make_adder, x86_64};

#[test]
fn make_adder_is_printed_in_the_clef_dialect() {
    let session = Session::new();
    let module = session.module(|m| make_adder(m, 32)).expect("verifies");
    let text = module.to_string();
    println!("{text}");
    assert!(text.contains("\"clef.closure_make\""), "{text}");
}

#[test]
fn make_adder_compiles() {
    for machine in [x86_64(), cortex_m4()] {
        let bits = machine.data_layout().expect("a known machine").pointer_bits;
        for level in [Level::O0, Level::O2, Level::Oz] {
            let session = Session::new();
            let mut module = session.module(|m| make_adder(m, bits)).expect("verifies");
            lower(&mut module, &lowering(&machine)).expect("lowers");
            println!("{module}");
            let options = Options { level, debug: true, keep: &["clef_main"], runtime: None };
            let compiled = compile(&mut module, &machine, &options).expect("compiles");
            println!("{}", compiled.ir().unwrap());
            println!("{}", compiled.assembly().unwrap());
            println!("{:?}", compiled.object().unwrap().frames);
        }
    }
}
