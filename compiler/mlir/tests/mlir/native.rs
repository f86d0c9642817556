//! Programs that run on this machine, where it is an x86-64 Linux.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::{
    path::Path,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use clef_mlir::{
    Build, Capture, Constant, Function, Global, IntPredicate, Memory, Session, Signature, Storage, Tail,
    llvm::{Level, Options, compile},
};

use super::{
    fixture::{define_code, lowered, make_adder, word, x86_64},
    static_slots::handler,
};

static SERIAL: AtomicU32 = AtomicU32::new(0);

/// Compiles a program with `clef_main` together with [`runtime`], links it to the C library, and gives its status.
fn status(level: Level, program: impl for<'m> FnOnce(Build<'m>)) -> Option<i32> {
    let session = Session::new();
    let mut machine = x86_64();
    machine.position_independent = true;
    let mut runtime = session.module(runtime).expect("verifies");
    let options =
        Options { level, debug: false, keep: &["main", "clef_region_program", "clef_region_allocate"], runtime: None };
    let runtime = compile(&mut runtime, &machine, &options).expect("compiles");
    let mut module = session.module(program).expect("verifies");
    lowered(&mut module, &machine);
    let options = Options { level, debug: true, keep: &["main"], runtime: Some(runtime.bitcode()) };
    let object = compile(&mut module, &machine, &options).expect("compiles").object().expect("an object");
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program-{}-{serial}", std::process::id()));
    let object_path = path.with_extension("o");
    std::fs::write(&object_path, object.bytes).expect("a writable directory");
    let linked = Command::new("cc").arg(&object_path).arg("-o").arg(&path).status().expect("a C compiler driver");
    assert!(linked.success());
    Command::new(&path).status().expect("starts").code()
}

/// `main`, which calls `clef_main` with 40, and one region, never freed: a bump pointer in a static pool.
fn runtime(m: Build<'_>) {
    let (word, ptr) = (m.int(64), m.ptr());
    m.global(&Global::variable("pool", Constant::Zero(m.array(m.int(8), 4096))).align(16));
    m.global(&Global::variable("used", Constant::Zero(word)));
    let mut e = m.define(&Function::new("clef_region_program", Signature::c([], Some(ptr))).external());
    let null = e.null();
    e.ret(Some(null));
    let allocate = Signature::c([ptr, word, word, ptr], Some(ptr));
    let mut e = m.define(&Function::new("clef_region_allocate", allocate).external());
    let size = e.arguments()[1];
    let used = e.symbol("used");
    let start = e.load(word, used, Memory::aligned(8));
    let end = e.add(start, size);
    e.store(end, used, Memory::aligned(8));
    let pool = e.symbol("pool");
    let address = e.offset_by(pool, start);
    e.ret(Some(address));

    let int = m.int(32);
    let signature = Signature::c([int], Some(int));
    m.declare("clef_main", &signature);
    let mut e = m.define(&Function::new("main", Signature::c([], Some(int))).external());
    let forty = e.iconst(int, 40);
    let result = e.call("clef_main", &signature, &[forty], Tail::No);
    e.ret(result);
}

const LEVELS: [Level; 3] = [Level::O0, Level::O2, Level::Oz];

#[test]
fn a_closure_in_a_region() {
    for level in LEVELS {
        assert_eq!(status(level, |m| make_adder(m, 64)), Some(42));
    }
}

#[test]
fn a_closure_in_a_static_slot() {
    for level in LEVELS {
        assert_eq!(status(level, |m| handler(m, false)), Some(42));
    }
}

#[test]
fn an_unknown_closure_tells_its_arity() {
    let program = |m: Build<'_>| {
        let (int, ptr) = (m.int(32), m.ptr());
        let two = Signature::tail([int, int], Some(int));
        let code = Function::new("two", two.with_first(ptr)).arity(2).captures(vec![word(&m, 32)]);
        let mut e = m.define(&code);
        let x = e.arguments()[1];
        e.ret(Some(x));
        let one = define_code(&m, "one", vec![], int, |_, _, _, x| x);
        let asks = Signature::tail([ptr], Some(int));
        let mut e = m.define(&Function::new("ask", asks.clone()).attribute("noinline"));
        let closure = e.arguments()[0];
        let arity = e.closure_arity(closure);
        e.ret(Some(arity));
        let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external());
        let n = e.arguments()[0];
        let second = e.closure_make("two", &two, Storage::Stack, &[n]);
        let first = e.closure_make("one", &one, Storage::Static, &[]);
        let a = e.call("ask", &asks, &[second], Tail::No).expect("a result");
        let b = e.call("ask", &asks, &[first], Tail::No).expect("a result");
        let ten = e.iconst(int, 10);
        let a = e.mul(a, ten);
        let sum = e.add(a, b);
        e.ret(Some(sum));
    };
    for level in LEVELS {
        assert_eq!(status(level, program), Some(21), "{level:?}");
    }
}

/// Two closures call each other three million times in tail position.
fn ping_pong(m: Build<'_>) {
    let (int, ptr) = (m.int(32), m.ptr());
    let other = Capture { ty: ptr, size: 8, align: 8 };
    let mut signature = None;
    for (name, last) in [("ping", 42), ("pong", 43)] {
        let steps = Signature::tail([int], Some(int));
        let mut e = m.define(&Function::new(name, steps.with_first(ptr)).captures(vec![other]).attribute("noinline"));
        let [closure, n] = e.arguments()[..] else { panic!("two parameters") };
        let (stop, go) = (e.block(&[]), e.block(&[]));
        let zero = e.iconst(int, 0);
        let done = e.icmp(IntPredicate::Eq, n, zero);
        e.cond_br(done, (stop, &[]), (go, &[]));
        e.position(stop);
        let last = e.iconst(int, last);
        e.ret(Some(last));
        e.position(go);
        let one = e.iconst(int, 1);
        let n = e.sub(n, one);
        let other = e.capture(closure, &steps, 0, ptr);
        let result = e.closure_invoke(other, &steps, &[n], Tail::Yes);
        e.ret(result);
        signature = Some(steps);
    }
    let steps = signature.expect("two members");
    let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external());
    let ping = e.closure_allocate("ping", &steps, Storage::Stack);
    let pong = e.closure_allocate("pong", &steps, Storage::Stack);
    e.closure_patch(ping, "ping", &[pong]);
    e.closure_patch(pong, "pong", &[ping]);
    let n = e.iconst(int, 3_000_000);
    let result = e.closure_invoke(ping, &steps, &[n], Tail::No);
    e.ret(result);
}

#[test]
fn closures_that_call_each_other_take_constant_stack() {
    for level in LEVELS {
        assert_eq!(status(level, ping_pong), Some(42), "{level:?}");
    }
}
