//! What LLVM makes of a program: linking, levels, attributes, tail calls, source lines, frames.

use clef_mlir::{
    Build, Constant, Function, Global, Memory, Session, Signature, Tail,
    llvm::{DebugInfo, Frame, Level, Options, PART_SIZE, compile},
};

use super::fixture::{assert_lines, compiled, cortex_a53, cortex_m4, lowered, make_adder, x86_64};

const LEVELS: [Level; 6] = [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz];

#[test]
fn an_arity_stands_before_the_code() {
    for machine in [x86_64(), cortex_m4(), cortex_a53()] {
        let assembly = compiled(&machine, Level::O2, |m| make_adder(m, 32)).assembly().expect("assembly");
        let (before, _) = assembly.split_once("\nadder:").expect("the code");
        let arity = before.rfind("\t1\n").or_else(|| before.strip_suffix("\t1").map(str::len)).expect("the arity");
        assert!(!before[arity..].contains("align"), "{assembly}");
    }
}

/// Two functions that call each other in tail position, one with more arguments than registers.
fn unequal(m: Build<'_>, result: bool) {
    let int = m.int(32);
    let few = Signature::tail([m.ptr(), int], result.then_some(int));
    let many = Signature::tail([vec![m.ptr(), int], vec![int; 9]].concat(), result.then_some(int));
    let mut e = m.define(&Function::new("few", few.clone()).external().attribute("noinline"));
    let [table, n] = e.arguments()[..] else { panic!("two parameters") };
    let code = e.load(m.ptr(), table, Memory::aligned(4));
    let sum = e.call_indirect(code, &many, &[vec![table], vec![n; 10]].concat(), Tail::Yes);
    e.ret(sum);
    let mut e = m.define(&Function::new("many", many).external().attribute("noinline"));
    let arguments = e.arguments();
    let sum = e.add(arguments[1], arguments[10]);
    let sum = e.call("few", &few, &[arguments[0], sum], Tail::Yes);
    e.ret(sum);
}

#[test]
fn tail_calls_are_jumps_at_every_level() {
    for (machine, calls) in [(x86_64(), "call"), (cortex_m4(), "bl"), (cortex_a53(), "bl")] {
        for level in LEVELS {
            for result in [true, false] {
                let session = Session::new();
                let mut module = session.module(|m| unequal(m, result)).expect("verifies");
                let options = Options {
                    level,
                    debug: None,
                    keep: &["few", "many"],
                    runtime: None,
                    is_linked_to_others: false,
                    is_library: false,
                    part_size: PART_SIZE,
                };
                let compiled = compile(&mut module, &machine, &options).expect("compiles");
                let assembly = compiled.assembly().expect("assembly");
                let found = assembly.lines().filter_map(|line| line.split_whitespace().next());
                let found: Vec<_> = found.filter(|word| word.starts_with(calls)).collect();
                assert!(found.is_empty(), "{} {level:?}: {assembly}", machine.triple);
            }
        }
    }
}

/// The callee of the tail-call convention frees its stack arguments, and its caller takes just as many bytes.
#[test]
fn caller_and_callee_agree_about_stack_arguments() {
    for words in 1..12 {
        let program = |m: Build<'_>| {
            let int = m.int(32);
            let many = Signature::tail(vec![int; 4 + words], Some(int));
            m.declare("elsewhere", &many);
            let mut e = m.define(&Function::new("clef_main", many.clone()).external().attribute("noinline"));
            let last = e.arguments()[3 + words];
            e.ret(Some(last));
            let mut e = m.define(&Function::new("main", Signature::c([int], Some(int))).external());
            let argument = e.arguments()[0];
            let result = e.call("elsewhere", &many, &vec![argument; 4 + words], Tail::No).expect("a result");
            let result = e.add(result, argument);
            e.ret(Some(result));
        };
        let assembly = compiled(&cortex_m4(), Level::O2, program).assembly().expect("assembly");
        let bytes = words.next_multiple_of(4) * 4;
        let code = |name: &str| {
            let (_, code) = assembly.split_once(&format!("\n{name}:")).expect("the function");
            code.split_once(".fnend").expect("its end").0
        };
        let callee = code("clef_main");
        let frees = [format!("add\tsp, #{bytes}"), format!("[sp], #{bytes}")];
        assert!(frees.iter().any(|how| callee.contains(how)), "{callee}");
        let (before, _) = code("main").split_once("bl\telsewhere").expect("the call");
        assert_lines(before, &[&format!("sub\tsp, #{bytes}")]);
    }
}

/// Two words of memory are copied in words, since they may have been stored in words just before.
#[test]
fn words_are_not_copied_in_vectors() {
    let program = |m: Build<'_>| {
        let (ptr, word) = (m.ptr(), m.int(64));
        let mut e = m.define(&Function::new("clef_main", Signature::c([ptr, ptr], None)).external());
        let [from, to] = e.arguments()[..] else { panic!("two parameters") };
        let words = [0, 8].map(|offset| {
            let at = e.offset(from, offset);
            e.load(word, at, Memory::aligned(8))
        });
        for (offset, word) in [0, 8].into_iter().zip(words) {
            let at = e.offset(to, offset);
            e.store(word, at, Memory::aligned(8));
        }
        e.ret(None);
    };
    for level in LEVELS {
        let assembly = compiled(&x86_64(), level, program).assembly().expect("assembly");
        assert!(!assembly.contains("xmm"), "{level:?}: {assembly}");
    }
}

/// A function that calls with stack arguments and goes on addresses its frame by the frame pointer, also where LLVM marks
/// the call as one that may be a tail call.
#[test]
fn callers_with_stack_arguments_have_frame_pointers() {
    let program = |m: Build<'_>| {
        let int = m.int(32);
        let many = Signature::tail(vec![int; 5], Some(int));
        m.declare("elsewhere", &many);
        for (name, signature) in
            [("main", Signature::c([int], Some(int))), ("clef_main", Signature::tail([int], Some(int)))]
        {
            let mut e = m.define(&Function::new(name, signature).external());
            let argument = e.arguments()[0];
            let result = e.call("elsewhere", &many, &[argument; 5], Tail::No).expect("a result");
            let result = e.add(result, argument);
            e.ret(Some(result));
        }
    };
    for level in LEVELS {
        let assembly = compiled(&cortex_m4(), level, program).assembly().expect("assembly");
        for name in ["main", "clef_main"] {
            let (_, code) = assembly.split_once(&format!("\n{name}:")).expect("the function");
            let (code, _) = code.split_once(".fnend").expect("its end");
            assert!(code.contains("mov\tsp, r"), "{level:?}: {code}");
        }
    }
}

/// A runtime of which `program` uses one function.
fn runtime(m: Build<'_>) {
    let int = m.int(32);
    for name in ["used", "unused"] {
        let mut e = m.define(&Function::new(name, Signature::c([int], Some(int))).external());
        let argument = e.arguments()[0];
        let sum = e.add(argument, argument);
        e.ret(Some(sum));
    }
}

fn uses_runtime(m: Build<'_>) {
    let int = m.int(32);
    let signature = Signature::c([int], Some(int));
    m.declare("used", &signature);
    m.global(&Global::variable("unread", Constant::Zero(int)).external());
    let mut e = m.define(&Function::new("clef_main", signature.clone()).external());
    let argument = e.arguments()[0];
    let result = e.call("used", &signature, &[argument], Tail::No);
    e.ret(result);
}

#[test]
fn the_runtime_is_linked_inlined_and_hidden() {
    let session = Session::new();
    // Another triple of the same family, as a runtime for the soft-float ABI is for a hard-float program.
    let mut kindred = cortex_m4();
    kindred.triple = "thumbv7em-none-eabihf".to_owned();
    kindred.features = "+vfp4d16sp".to_owned();
    let mut library = session.module(runtime).expect("verifies");
    let options = Options {
        level: Level::O0,
        debug: None,
        keep: &["used", "unused"],
        runtime: None,
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let library = compile(&mut library, &cortex_m4(), &options).expect("compiles");
    for level in LEVELS {
        let mut module = session.module(uses_runtime).expect("verifies");
        let options = Options {
            level,
            debug: None,
            keep: &["clef_main"],
            runtime: Some(library.bitcode()),
            is_linked_to_others: false,
            is_library: false,
            part_size: PART_SIZE,
        };
        let ir = compile(&mut module, &kindred, &options).expect("compiles").ir().expect("text");
        assert!(!ir.contains("@unused") && !ir.contains("@unread"), "{ir}");
        assert!(ir.contains("i32 @clef_main(i32"), "{ir}");
        assert_eq!(ir.contains("call i32 @used"), level == Level::O0, "{level:?}: {ir}");
        assert_eq!(ir.contains("minsize"), level == Level::Oz, "{level:?}: {ir}");
        assert!(ir.contains("\"target-features\"=\"+vfp4d16sp\"") && !ir.contains("\"target-features\"=\"\""), "{ir}");
    }
}

#[test]
fn a_runtime_that_is_no_bitcode() {
    let session = Session::new();
    let mut module = session.module(uses_runtime).expect("verifies");
    let options = Options {
        level: Level::O0,
        debug: None,
        keep: &[],
        runtime: Some(b"no bitcode"),
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let faults = compile(&mut module, &cortex_m4(), &options).err().expect("is rejected");
    assert!(faults[0].message.starts_with("the runtime is unreadable"), "{faults:?}");
}

#[test]
fn what_the_program_defines_is_not_taken_from_the_runtime() {
    let session = Session::new();
    let mut library = session.module(runtime).expect("verifies");
    let options = Options {
        level: Level::O0,
        debug: None,
        keep: &["used", "unused"],
        runtime: None,
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let library = compile(&mut library, &cortex_m4(), &options).expect("compiles");
    let mut module = session.module(runtime).expect("verifies");
    let options = Options {
        level: Level::O0,
        debug: None,
        keep: &["used"],
        runtime: Some(library.bitcode()),
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let ir = compile(&mut module, &cortex_m4(), &options).expect("compiles").ir().expect("text");
    assert_eq!(ir.matches("@used(").count(), 1, "{ir}");
}

#[test]
fn a_triple_that_does_not_exist() {
    let mut machine = cortex_m4();
    machine.triple = "pdp11-unknown-none".to_owned();
    assert!(machine.data_layout().is_err());
}

#[test]
fn locations_become_source_lines() {
    let session = Session::new();
    let mut module = session.module_of("adder.clef", |m| make_adder(m, 32)).expect("verifies");
    lowered(&mut module, &cortex_m4());
    let options = Options {
        level: Level::O2,
        debug: Some(DebugInfo::LINES),
        keep: &["clef_main"],
        runtime: None,
        is_linked_to_others: false,
        is_library: false,
        part_size: PART_SIZE,
    };
    let compiled = compile(&mut module, &cortex_m4(), &options).expect("compiles");
    let ir = compiled.ir().expect("text");
    for part in ["!{i32 2, !\"Debug Info Version\", i32 3}", "!DIFile(filename: \"adder.clef\", directory: \"\")"] {
        assert!(ir.contains(part), "no {part} in\n{ir}");
    }
    assert!(ir.contains("\"Dwarf Version\", i32 4"), "{ir}");
    let assembly = compiled.assembly().expect("assembly");
    assert!(assembly.contains(".loc\t1 1 26"), "{assembly}");
}

/// Functions that are rewritten for their stack arguments keep their names, arities and source lines.
#[test]
fn padded_functions_keep_what_they_have() {
    let session = Session::new();
    let program = |m: Build<'_>| {
        let int = m.int(32);
        let many = Signature::tail(vec![int; 7], Some(int));
        let code = Function::new("many", many.clone()).arity(6).captures(Vec::new()).external().attribute("noinline");
        let mut e = m.define(&code.at("many.clef", 1, 5));
        e.at("many.clef", 1, 20);
        let [_, first, .., last] = e.arguments()[..] else { panic!("seven parameters") };
        let sum = e.add(first, last);
        e.ret(Some(sum));
        let mut e =
            m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external().at("many.clef", 2, 1));
        e.at("many.clef", 2, 9);
        let argument = e.arguments()[0];
        let code = e.symbol("many");
        let result = e.call_indirect(code, &many, &[argument; 7], Tail::No);
        e.ret(result);
    };
    for level in LEVELS {
        let mut module = session.module(program).expect("verifies");
        lowered(&mut module, &cortex_m4());
        let options = Options {
            level,
            debug: Some(DebugInfo::LINES),
            keep: &["clef_main", "many"],
            runtime: None,
            is_linked_to_others: false,
            is_library: false,
            part_size: PART_SIZE,
        };
        let compiled = compile(&mut module, &cortex_m4(), &options).expect("compiles");
        let ir = compiled.ir().expect("text");
        let many = ir.lines().find(|line| line.starts_with("define") && line.contains("@many(")).expect("the function");
        assert_eq!(many.matches("i32 %").count(), 8, "{ir}");
        assert!(many.contains("prefix i32 6") && many.contains("!dbg"), "{ir}");
        assert!(!ir.contains("unpadded"), "{ir}");
        assert!(compiled.assembly().expect("assembly").contains(".loc\t1 1 20"), "{ir}");
    }
}

#[test]
fn frames_are_reported() {
    let program = |m: Build<'_>| {
        let takes = Signature::c([m.ptr()], None);
        m.declare("takes", &takes);
        let mut e = m.define(&Function::new("clef_main", Signature::c([], None)).external());
        let buffer = e.alloca_bytes(64, 8);
        e.call("takes", &takes, &[buffer], Tail::No);
        e.ret(None);
    };
    let objects = compiled(&cortex_m4(), Level::O2, program).objects().expect("objects");
    assert_eq!(objects.frames, [Frame { function: "clef_main".to_owned(), bytes: 72 }]);
}
