//! Every operation of the builder is accepted by MLIR and by LLVM.

use clef_mlir::{
    Build, Constant, FloatPredicate, Function, Global, IntPredicate, Memory, Session, Signature, Tail,
    llvm::{Level, Options, PART_SIZE, compile},
};

use super::fixture::{assert_lines, cortex_a53, cortex_m0, cortex_m4, lowered, word_bits, x86_64};

fn integers(m: Build<'_>) {
    let (i32, i64) = (m.int(32), m.int(64));
    let mut e = m.define(&Function::new("integers", Signature::c([i32, i32], Some(i64))).external());
    let [a, b] = e.arguments()[..] else { panic!("two parameters") };
    let mut value = a;
    for step in [
        clef_mlir::Emit::add,
        clef_mlir::Emit::sub,
        clef_mlir::Emit::mul,
        clef_mlir::Emit::sdiv,
        clef_mlir::Emit::udiv,
        clef_mlir::Emit::srem,
        clef_mlir::Emit::urem,
        clef_mlir::Emit::and,
        clef_mlir::Emit::or,
        clef_mlir::Emit::xor,
        clef_mlir::Emit::shl,
        clef_mlir::Emit::lshr,
        clef_mlir::Emit::ashr,
    ] {
        value = step(&mut e, value, b);
    }
    value = e.neg(value);
    value = e.not(value);
    let less = e.icmp(IntPredicate::Slt, value, b);
    value = e.select(less, value, a);
    for name in ["llvm.ctpop", "llvm.bitreverse", "llvm.bswap"] {
        value = e.intrinsic_value(name, i32, &[value]);
    }
    let defined = e.bconst(false);
    value = e.intrinsic_value("llvm.ctlz", i32, &[value, defined]);
    value = e.intrinsic_value("llvm.fshl", i32, &[value, value, b]);
    let narrow = e.trunc(value, m.int(8));
    let wide = e.sext(narrow, i64);
    let other = e.zext(narrow, i64);
    let sum = e.add(wide, other);
    e.ret(Some(sum));
}

fn floats(m: Build<'_>) {
    let (f32, f64) = (m.f32(), m.f64());
    let mut e = m.define(&Function::new("floats", Signature::c([f64, f64], Some(m.int(32)))).external());
    let [a, b] = e.arguments()[..] else { panic!("two parameters") };
    let mut value = e.fadd(a, b);
    value = e.fsub(value, b);
    value = e.fmul(value, b);
    value = e.fdiv(value, b);
    value = e.fneg(value);
    let half = e.fconst(f64, 0.5);
    value = e.fmul(value, half);
    let narrow = e.fptrunc(value, f32);
    value = e.fpext(narrow, f64);
    for name in ["llvm.sqrt", "llvm.fabs", "llvm.floor", "llvm.ceil"] {
        value = e.intrinsic_value(name, f64, &[value]);
    }
    let less = e.fcmp(FloatPredicate::Olt, value, a);
    let signed = e.fptosi_sat(value, m.int(32));
    let unsigned = e.fptoui_sat(value, m.int(32));
    let number = e.select(less, signed, unsigned);
    let back = e.sitofp(number, f32);
    let other = e.uitofp(number, f32);
    let sum = e.fadd(back, other);
    let bits = e.bitcast(sum, m.int(32));
    e.ret(Some(bits));
}

fn memory(m: Build<'_>, bits: u32) {
    let (i8, i32, word, ptr) = (m.int(8), m.int(32), m.int(bits), m.ptr());
    let pair = m.record(&[ptr, i32]);
    let text = Constant::Bytes(b"text\0\xff".to_vec());
    m.global(&Global::constant("text", text).align(1).mergeable());
    let fields = vec![Constant::Address("text".to_owned(), 2), Constant::Integer(i32, -1)];
    m.global(&Global::constant("table", Constant::Aggregate(pair, fields)).section(".rodata.table").align(8));
    let numbers = [-1_i32, 70_000].map(i32::to_le_bytes).concat();
    m.global(&Global::constant("numbers", Constant::Numbers(i32, 2, numbers)).align(4).external());
    m.global(&Global::variable("counter", Constant::Zero(i32)).external());
    m.declare_global("elsewhere", i32);
    let mut e =
        m.define(&Function::new("memory", Signature::c([ptr, word], Some(i32))).external().section(".text.memory"));
    let [base, index] = e.arguments()[..] else { panic!("two parameters") };
    let slot = e.alloca(i32, 4);
    let second = e.alloca_bytes(12, 8);
    let element = e.element(i32, base, index);
    let value = e.load(i32, element, Memory::invariant(4));
    e.store(value, slot, Memory::aligned(4));
    let register = e.symbol("elsewhere");
    e.store(value, register, Memory::volatile(4));
    let behind = e.offset(second, 4);
    let further = e.offset_by(behind, index);
    let byte = e.load(i8, further, Memory::volatile(1));
    let size = e.iconst(word, 12);
    e.memcpy(second, base, size);
    e.memmove(second, base, size);
    e.memset(second, byte, size);
    let null = e.null();
    let same = e.icmp(IntPredicate::Eq, base, null);
    let table = e.symbol("table");
    let record = e.load(pair, table, Memory::aligned(8));
    let record = e.insert(record, 1, value);
    let field = e.extract(record, 1, i32);
    let made = e.undef(pair);
    let _ = e.poison(pair);
    let _ = e.insert(made, 0, base);
    let result = e.select(same, field, value);
    e.ret(Some(result));
}

fn control(m: Build<'_>) {
    let i32 = m.int(32);
    let signature = Signature::tail([i32], Some(i32));
    let leaf = Function::new("leaf", signature.clone()).attribute("noinline").parameter_attribute(0, "llvm.noundef");
    let mut e = m.define(&leaf);
    let argument = e.arguments()[0];
    let (one, two, join) = (e.block(&[]), e.block(&[i32]), e.block(&[i32]));
    e.switch(argument, (join, &[argument]), &[(1, one, &[]), (-2, two, &[argument])]);
    e.position(one);
    assert!(!e.is_terminated());
    e.trap();
    e.unreachable();
    assert!(e.is_terminated());
    e.position(two);
    let less = e.icmp(IntPredicate::Ult, two.argument(0), argument);
    e.cond_br(less, (join, &[argument]), (join, &[two.argument(0)]));
    e.position(join);
    e.ret(Some(join.argument(0)));

    let mut e = m.define(&Function::new("calls", signature.clone()).external().align(16));
    let argument = e.arguments()[0];
    let direct = e.call("leaf", &signature, &[argument], Tail::No).expect("a result");
    let code = e.symbol("leaf");
    let result = e.call_indirect(code, &signature, &[direct], Tail::Yes);
    e.ret(result);
}

#[test]
fn every_operation_compiles_for_every_machine() {
    for machine in [x86_64(), cortex_m0(), cortex_m4(), cortex_a53()] {
        let session = Session::new();
        let bits = word_bits(&machine);
        let program = |m: Build<'_>| {
            integers(m);
            floats(m);
            memory(m, bits);
            control(m);
        };
        let mut module = session.module(program).expect("verifies");
        lowered(&mut module, &machine);
        for level in [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz] {
            let keep = ["integers", "floats", "memory", "calls", "counter"];
            let options = Options {
                level,
                debug: None,
                keep: &keep,
                runtime: None,
                is_linked_to_others: false,
                is_library: false,
                part_size: PART_SIZE,
            };
            let compiled = compile(&mut module, &machine, &options).expect("compiles");
            let object = compiled.object().expect("an object");
            assert_eq!(&object[..4], b"\x7fELF", "{} {level:?}", machine.triple);
        }
    }
}

#[test]
fn a_global_holds_what_it_was_given() {
    let session = Session::new();
    let mut module = session.module(|m| memory(m, 64)).expect("verifies");
    let options = Options {
        level: Level::O0,
        debug: None,
        keep: &["memory", "counter", "numbers"],
        runtime: None,
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let ir = compile(&mut module, &x86_64(), &options).expect("compiles").ir().expect("text");
    assert_lines(
        &ir,
        &[
            "@text = internal unnamed_addr constant [6 x i8] c\"text\\00\\FF\", align 1",
            "@table = internal constant { ptr, i32 } { ptr getelementptr inbounds nuw (i8, ptr @text, i64 2), i32 -1 }, section \
             \".rodata.table\", align 8",
            "@numbers = constant [2 x i32] [i32 -1, i32 70000], align 4",
            "@counter = global i32 0",
            "@elsewhere = external global i32",
        ],
    );
}

#[test]
fn constants_keep_their_low_bits() {
    let session = Session::new();
    let module = session.module(|m| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        e.iconst(m.int(8), 200);
        e.iconst(m.int(64), u64::MAX.cast_signed());
        e.iconst(m.bool(), 1);
        e.fconst(m.f32(), 0.1);
        e.ret(None);
    });
    assert_lines(
        &module.expect("verifies").to_string(),
        &[
            "%0 = llvm.mlir.constant(-56 : i8) : i8",
            "%1 = llvm.mlir.constant(-1 : i64) : i64",
            "%2 = llvm.mlir.constant(true) : i1",
            "%3 = llvm.mlir.constant(1.000000e-01 : f32) : f32",
        ],
    );
}

#[test]
fn a_declaration_may_be_repeated() {
    let session = Session::new();
    let module = session.module(|m| {
        let signature = Signature::c([m.ptr()], None);
        m.declare("clef_console_write", &signature);
        m.declare("clef_console_write", &signature);
        assert!(m.has_symbol("clef_console_write"));
    });
    assert_eq!(module.expect("verifies").to_string().matches("@clef_console_write").count(), 1);
}
