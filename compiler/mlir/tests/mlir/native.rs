//! Programs that run: on this machine, where it is an x86-64 Linux, and as Thumb-2 and AArch64 code in QEMU's user mode.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use clef_mlir::{
    Build, Capture, Constant, Function, Global, IntPredicate, Memory, Session, Signature, Storage, Tail,
    llvm::{Compiled, DebugInfo, Level, Machine, Options, PART_SIZE, compile},
};

use super::{
    fixture::{
        compiled_in_parts, cortex_a53, cortex_m0, cortex_m4, define_code, lowered, machine, make_adder, word,
        word_bits, x86_64,
    },
    split_aggregates::counts,
    static_slots::handler,
};

static SERIAL: AtomicU32 = AtomicU32::new(0);

/// A path of its own for each program.
fn scratch() -> PathBuf {
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program-{}-{serial}", std::process::id()))
}

/// Compiles a program with `clef_main` together with [`runtime`], links it to the C library, and gives its status.
fn status(level: Level, program: impl for<'m> FnOnce(Build<'m>)) -> Option<i32> {
    status_in_parts(level, PART_SIZE, program)
}

/// The same, compiled in parts of at least `part_size` instructions.
fn status_in_parts(level: Level, part_size: usize, program: impl for<'m> FnOnce(Build<'m>)) -> Option<i32> {
    let session = Session::new();
    let mut machine = x86_64();
    machine.position_independent = true;
    let mut runtime = session.module(runtime).expect("verifies");
    let options = Options {
        level,
        debug: None,
        keep: &["main", "clef_region_program", "clef_region_allocate"],
        runtime: None,
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let runtime = compile(&mut runtime, &machine, &options).expect("compiles");
    let mut module = session.module(program).expect("verifies");
    lowered(&mut module, &machine);
    let options = Options {
        level,
        debug: Some(DebugInfo::LINES),
        keep: &["main"],
        runtime: Some(runtime.bitcode()),
        is_linked_to_others: false,
        is_library: false,
        part_size,
    };
    let compiled = compile(&mut module, &machine, &options).expect("compiles");
    let path = scratch();
    let files = written(&compiled, &path);
    let linked = Command::new("cc").args(&files).arg("-o").arg(&path).status().expect("a C compiler driver");
    assert!(linked.success());
    Command::new(&path).status().expect("starts").code()
}

/// Writes the objects of a program next to `path`.
fn written(compiled: &Compiled, path: &Path) -> Vec<PathBuf> {
    let write = |(index, file): (usize, Vec<u8>)| {
        let object = path.with_extension(format!("{index}.o"));
        std::fs::write(&object, file).expect("a writable directory");
        object
    };
    compiled.objects().expect("objects").files.into_iter().enumerate().map(write).collect()
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
fn structs_merge() {
    for level in LEVELS {
        assert_eq!(status(level, counts), Some(42), "{level:?}");
    }
}

/// A function that knows nothing of two closures asks each for its arity: 2 and 1.
fn arities(m: Build<'_>) {
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
}

#[test]
fn an_unknown_closure_tells_its_arity() {
    for level in LEVELS {
        assert_eq!(status(level, arities), Some(21), "{level:?}");
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

/// Functions of seventeen words of arguments call each other, ordinarily and in tail position, with arguments of every
/// kind, floats by their bits; the last one adds up what came through.
fn many_arguments(m: Build<'_>, bits: u32) {
    let (int, long, single, double, ptr) = (m.int(32), m.int(64), m.f32(), m.f64(), m.ptr());
    let pair = m.record(&[m.int(8), long]);
    let types = vec![int, long, int, double, single, ptr, pair, m.bool(), m.int(16), long, int];
    let many = Signature::tail(types.clone(), Some(int));
    let few = Signature::tail([int], Some(int));
    let five = Signature::tail([int; 5], Some(int));

    let mut e = m.define(&Function::new("sum", many.clone()).attribute("noinline"));
    let arguments = e.arguments();
    let mut sum = e.iconst(int, 0);
    for (index, &argument) in arguments.iter().enumerate() {
        let value = if argument.ty() == pair { e.extract(argument, 1, long) } else { argument };
        let value = if value.ty() == double {
            let bits = e.bitcast(value, long);
            e.trunc(bits, int)
        } else if value.ty() == single {
            e.bitcast(value, int)
        } else if value.ty() == ptr {
            e.ptrtoint(value, int)
        } else if value.ty() == long {
            e.trunc(value, int)
        } else if value.ty() == int {
            value
        } else {
            e.zext(value, int)
        };
        let factor = e.iconst(int, i64::try_from(index).expect("small") + 1);
        let value = e.mul(value, factor);
        sum = e.add(sum, value);
    }
    e.ret(Some(sum));

    let mut e = m.define(&Function::new("few", few.clone()).attribute("noinline"));
    let n = e.arguments()[0];
    let mut arguments = Vec::new();
    for &ty in &types {
        arguments.push(if ty == double {
            let bits = e.zext(n, long);
            e.bitcast(bits, double)
        } else if ty == single {
            e.bitcast(n, single)
        } else if ty == ptr {
            let word = if bits == 32 { n } else { e.zext(n, m.int(bits)) };
            e.inttoptr(word, ptr)
        } else if ty == pair {
            let (byte, wide) = (e.trunc(n, m.int(8)), e.zext(n, long));
            e.make_record(pair, &[byte, wide])
        } else if ty == long {
            e.zext(n, long)
        } else if ty == int {
            n
        } else {
            e.trunc(n, ty)
        });
    }
    let code = e.symbol("sum");
    let result = e.call_indirect(code, &many, &arguments, Tail::Yes);
    e.ret(result);

    let mut e = m.define(&Function::new("five", five.clone()).attribute("noinline"));
    let arguments = e.arguments();
    let n = e.sub(arguments[4], arguments[0]);
    let result = e.call("few", &few, &[n], Tail::Yes);
    e.ret(result);

    // Five words, six and seventeen by ordinary calls in a loop: a stack pointer that drifts is soon out of its stack.
    let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external());
    let (head, exit) = (e.block(&[int, int]), e.block(&[int]));
    let zero = e.iconst(int, 0);
    e.br(head, &[zero, zero]);
    e.position(head);
    let [turn, _] = head.arguments()[..] else { panic!("two arguments") };
    let (one, three, four) = (e.iconst(int, 1), e.iconst(int, 3), e.iconst(int, 4));
    let sum = e.call("five", &five, &[one, turn, turn, three, four], Tail::No).expect("a result");
    let again = e.call("few", &few, &[one], Tail::No).expect("a result");
    let sum = e.sub(sum, again);
    let next = e.add(turn, one);
    let turns = e.iconst(int, 100_000);
    let more = e.icmp(IntPredicate::Ult, next, turns);
    e.cond_br(more, (head, &[next, sum]), (exit, &[sum]));
    e.position(exit);
    e.ret(Some(exit.argument(0)));
}

/// 3 for each factor but the flag's, which is true for 3 and for 1, minus 1 for each: `2 * (66 - 8)`.
const MANY_ARGUMENTS: i32 = 116;

#[test]
fn arguments_beyond_the_registers_arrive() {
    for level in LEVELS {
        assert_eq!(status(level, |m| many_arguments(m, 64)), Some(MANY_ARGUMENTS), "{level:?}");
    }
}

/// The functions of a program of several parts, and the operations of each.
const LARGE: (i64, i64) = (60, 40);

/// The instructions of the smallest part of this program.
const SMALL_PART: usize = 500;

/// A program of several parts: each function calls the next one, counts its calls in a variable that all share, and
/// the last one calls the first one by its address in a table, which is how the parts refer to each other.
fn large(m: Build<'_>, bits: u32) {
    let (int, ptr) = (m.int(32), m.ptr());
    let step = Signature::tail([int, int], Some(int));
    let word = u64::from(bits / 8);
    m.global(&Global::variable("calls", Constant::Zero(int)).align(4));
    m.global(&Global::constant("table", Constant::address("step0")).align(word));
    let next = |index: i64| format!("step{}", index + 1);
    for index in 0..LARGE.0 {
        let mut e = m.define(&Function::new(format!("step{index}"), step.clone()).attribute("noinline"));
        let [mut x, left] = e.arguments()[..] else { panic!("two parameters") };
        for operation in 0..LARGE.1 {
            let factor = e.iconst(int, index * LARGE.1 + operation);
            let product = e.mul(x, factor);
            let nine = e.iconst(int, 9);
            let shifted = e.lshr(product, nine);
            x = e.xor(x, shifted);
        }
        let calls = e.symbol("calls");
        let count = e.load(int, calls, Memory::aligned(4));
        let one = e.iconst(int, 1);
        let count = e.add(count, one);
        e.store(count, calls, Memory::aligned(4));
        let is_last = index + 1 == LARGE.0;
        if !is_last {
            let result = e.call(&next(index), &step, &[x, left], Tail::Yes);
            e.ret(result);
            continue;
        }
        let zero = e.iconst(int, 0);
        let done = e.icmp(IntPredicate::Eq, left, zero);
        let (ends, goes_on) = (e.block(&[]), e.block(&[]));
        e.cond_br(done, (ends, &[]), (goes_on, &[]));
        e.position(ends);
        let sum = e.add(x, count);
        e.ret(Some(sum));
        e.position(goes_on);
        let table = e.symbol("table");
        let first = e.load(ptr, table, Memory::aligned(word));
        let fewer = e.sub(left, one);
        let result = e.call_indirect(first, &step, &[x, fewer], Tail::Yes);
        e.ret(result);
    }
    let signature = Signature::c([int], Some(int));
    let mut e = m.define(&Function::new("clef_main", signature).external());
    let (start, rounds) = (e.iconst(int, 12_345), e.iconst(int, 3));
    let result = e.call("step0", &step, &[start, rounds], Tail::No).expect("a result");
    let mask = e.iconst(int, 0x7f);
    let status = e.and(result, mask);
    e.ret(Some(status));
}

/// The status of [`large`].
fn large_status() -> i32 {
    let mut x: u32 = 12_345;
    for _ in 0..4 {
        for factor in 0..u32::try_from(LARGE.0 * LARGE.1).expect("small") {
            x ^= x.wrapping_mul(factor) >> 9;
        }
    }
    let calls = u32::try_from(4 * LARGE.0).expect("small");
    i32::try_from(x.wrapping_add(calls) & 0x7f).expect("seven bits")
}

#[test]
fn a_large_program_is_compiled_in_parts() {
    for level in LEVELS {
        let objects = || compiled_in_parts(&x86_64(), level, SMALL_PART, |m| large(m, 64)).objects().expect("objects");
        let files = objects().files;
        assert!(files.len() > 4, "{level:?}: {} parts", files.len());
        assert!(files == objects().files, "equal programs become equal objects");
        assert_eq!(status_in_parts(level, SMALL_PART, |m| large(m, 64)), Some(large_status()), "{level:?}");
    }
}

#[test]
#[ignore = "requires qemu-arm and qemu-aarch64, which `cargo xtask test` installs before it runs this"]
fn a_large_program_behaves_alike_on_other_processors() {
    for on in emulators().into_iter().filter(|on| on.tail_calls) {
        let status = emulated_in_parts(&on, Level::O2, SMALL_PART, |m| large(m, word_bits(&on.machine)));
        assert_eq!(status, Some(large_status()), "{}", on.machine.triple);
    }
}

/// A program's start on Linux, as assembly: calls `clef_main` and exits with its result.
struct Emulated {
    machine: Machine,
    emulator: &'static str,
    start: &'static str,
    /// Whether a tail call takes no stack.
    tail_calls: bool,
}

/// Links a program for Linux on another processor and runs it in QEMU's user mode with a stack of 64 KiB.
fn emulated(on: &Emulated, level: Level, program: impl for<'m> FnOnce(Build<'m>)) -> Option<i32> {
    emulated_in_parts(on, level, PART_SIZE, program)
}

/// The same, compiled in parts of at least `part_size` instructions.
fn emulated_in_parts(
    on: &Emulated,
    level: Level,
    part_size: usize,
    program: impl for<'m> FnOnce(Build<'m>),
) -> Option<i32> {
    let path = scratch();
    let start = path.with_extension("start.o");
    let objects = written(&compiled_in_parts(&on.machine, level, part_size, program), &path);
    std::fs::write(path.with_extension("s"), on.start).expect("a writable directory");
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").expect("set by the workspace's configuration");
    let tool = |name: &str| Command::new(Path::new(&prefix).join("bin").join(name));
    let mut assembler = tool("llvm-mc");
    assembler.arg(format!("-triple={}", on.machine.triple)).arg("-filetype=obj").arg("-o").arg(&start);
    assert!(assembler.arg(path.with_extension("s")).status().expect("llvm-mc").success());
    let linked = tool("ld.lld").args(&objects).arg(&start).arg("-o").arg(&path).status();
    assert!(linked.expect("ld.lld").success());
    Command::new(on.emulator).args(["-s", "65536"]).arg(&path).status().expect("the emulator").code()
}

fn emulators() -> [Emulated; 5] {
    let thumb = |machine| Emulated {
        machine,
        emulator: "qemu-arm",
        start: ".syntax unified\n.thumb\n.globl _start\n.thumb_func\n_start:\nbl clef_main\nmovs r7, #1\nsvc #0\n",
        tail_calls: true,
    };
    [
        Emulated { tail_calls: false, ..thumb(cortex_m0()) },
        thumb(cortex_m4()),
        thumb(machine("thumbv7em-none-eabihf", "cortex-m4")),
        thumb(machine("thumbv8m.main-none-eabihf", "cortex-m33")),
        Emulated {
            machine: cortex_a53(),
            emulator: "qemu-aarch64",
            start: ".globl _start\n_start:\nbl clef_main\nmov x8, #93\nsvc #0\n",
            tail_calls: true,
        },
    ]
}

#[test]
#[ignore = "requires qemu-arm and qemu-aarch64, which `cargo xtask test` installs before it runs this"]
fn arguments_beyond_the_registers_arrive_on_other_processors() {
    for on in emulators() {
        let bits = word_bits(&on.machine);
        for level in [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz] {
            let status = emulated(&on, level, |m| many_arguments(m, bits));
            assert_eq!(status, Some(MANY_ARGUMENTS), "{} {level:?}", on.machine.triple);
        }
    }
}

#[test]
#[ignore = "requires qemu-arm and qemu-aarch64, which `cargo xtask test` installs before it runs this"]
fn closures_behave_alike_on_other_processors() {
    for on in emulators() {
        for level in LEVELS {
            assert_eq!(emulated(&on, level, arities), Some(21), "{} {level:?}", on.machine.triple);
            if on.tail_calls {
                assert_eq!(emulated(&on, level, ping_pong), Some(42), "{} {level:?}", on.machine.triple);
            }
        }
    }
}
