//! Headers, and the modules that are made of them.

#![allow(clippy::disallowed_methods, reason = "libclang reads files")]

use clef_bind::{Bindings, Request, bind};
use clef_scopes::Names;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The arguments for a processor with 32 bits and one with 64.
const SMALL: [&str; 4] = ["-xc", "--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-ffreestanding"];
const LARGE: [&str; 3] = ["-xc", "--target=x86_64-unknown-linux-gnu", "-ffreestanding"];

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn bound(header: &Path, arguments: &[&str], allowed: &[&str]) -> Result<Bindings, Vec<clef_base::Diagnostic>> {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let allowed: Vec<String> = allowed.iter().map(|&name| name.to_owned()).collect();
    bind(&Request { header, module: "Bound", arguments: &arguments, allowed: &allowed })
}

/// The result for a header with this text.
fn of_text(text: &[u8], allowed: &[&str]) -> Result<Bindings, Vec<clef_base::Diagnostic>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bind-{}-{number}.h", std::process::id()));
    fs::write(&path, text).expect("it is writable");
    let result = bound(&path, &LARGE, allowed);
    fs::remove_file(path).expect("it is ours");
    result
}

fn compare(name: &str, found: &str) {
    clef_golden::compare_with_file(&tests().join(name), found).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn a_module_has_every_declaration() {
    for (arguments, expected) in [(&SMALL[..], "small.clef"), (&LARGE, "large.clef")] {
        let bindings = bound(&tests().join("everything.h"), arguments, &[]).expect("it is a header");
        compare(expected, &bindings.source);
        assert_eq!(clef_format::generated(bindings.source.clone()), bindings.source);
    }
}

#[test]
fn what_is_left_out_is_named() {
    let bindings = bound(&tests().join("everything.h"), &SMALL, &[]).expect("it is a header");
    let warnings: Vec<String> =
        bindings.omissions.iter().map(|omission| omission.diagnostic().message + "\n").collect();
    compare("omissions.txt", &warnings.concat());
    for omission in &bindings.omissions {
        assert!(bindings.source.contains(&format!("// `{}` at {} is", omission.name, omission.place)), "{omission:?}");
    }
}

#[test]
fn only_what_is_wanted_is_bound() {
    let text = b"struct a { int x; };\nstruct b { int x; };\nint f(struct a *a);\nint g(struct b b);\n#define F 1\n";
    let source = of_text(text, &["f"]).expect("it is a header").source;
    assert!(source.contains("type a =") && source.contains("let f (a: nativeptr<a>) : int32"), "{source}");
    assert!(!source.contains("type b") && !source.contains('F'), "{source}");
    let included = b"#include <stddef.h>\n#include <stdint.h>\nint f(void);\n";
    assert!(!of_text(included, &[]).expect("it is a header").source.contains("INT32_MAX"));
    assert!(of_text(included, &["INT32_M*"]).expect("it is a header").source.contains("let INT32_MAX = 2147483647l"));
}

#[test]
fn patterns_that_match_nothing_are_errors() {
    let text =
        b"#define GUARD\n#define F 1\nenum mode { OFF, ON };\nenum { ONE, TWO };\nint crc(int x);\nint crd(void);\n";
    let messages = |allowed: &[&str]| {
        let errors = of_text(text, allowed).expect_err("it has such a pattern");
        let texts = errors.into_iter().map(|error| format!("{}: {}\n", error.message, error.proposals[0].message));
        texts.collect::<String>()
    };
    let several = messages(&["crc", "none*", "GUARD"]);
    assert_eq!(several.lines().count(), 2, "{several}");
    assert!(
        several.contains("`--allowlist none*` matches no name") && several.contains("`--allowlist GUARD`"),
        "{several}"
    );
    assert!(messages(&["cra"]).contains("did you mean `crc`?"));
    assert!(messages(&["OF*"]).contains("`OFF` is a value of the enum `mode`, which has all of its values"));
    let source = of_text(text, &["T*"]).expect("it is a header").source;
    assert!(source.contains("let TWO = 1u") && !source.contains("ONE"), "{source}");
}

#[test]
fn enums_do_not_have_the_names_of_functions() {
    let text = b"enum mode { OFF };\nenum end { LAST };\nstruct stat { int size; };\nenum mode mode(enum mode m, struct stat *s);\n\
        int end(void);\nint stat(void);\nenum both { A };\nenum { both };\nenum macro { B };\n#define macro 3\nstatic int other(void);\n\
        enum other { C };\n";
    let source = of_text(text, &[]).expect("it is a header").source;
    for part in [
        "/// `mode` in C.\ntype mode_ =\n    | OFF",
        "let mode (m: mode_) (s: nativeptr<stat>) : mode_ =",
        "type end_ =",
        "let ``end`` ()",
        "type both_ =",
        "type macro_ =",
        "type other =",
        "type stat =",
    ] {
        assert!(source.contains(part), "{part}: {source}");
    }
}

/// The names of types that programs have in scope, but those that are words of C.
fn types_of_clef() -> Vec<String> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../library/clef");
    let folders = [library.clone(), library.join("devices")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the library"));
    let mut names: Vec<String> = Names::default().types.names().map(|(name, _)| name.to_string()).collect();
    for file in files.map(|file| file.expect("a file").path()).filter(|file| file.is_file()) {
        let text = fs::read_to_string(file).expect("a source");
        for module in text.split("[<AutoOpen>]\n").skip(1) {
            let lines = module.lines().take_while(|line| line.is_empty() || line.starts_with([' ', 'm']));
            let types = lines.filter_map(|line| line.strip_prefix("    type "));
            let name = |rest: &str| rest.split(['<', ' ']).next().map(str::to_owned);
            names.extend(types.filter_map(name));
        }
    }
    names.retain(|name| !["bool", "char", "double", "float", "int"].contains(&name.as_str()));
    names
}

#[test]
fn types_do_not_hide_those_of_clef() {
    let names = types_of_clef();
    assert!(
        ["string", "option", "Set", "I2cError"].iter().all(|known| names.iter().any(|name| name == known)),
        "{names:?}"
    );
    let text: String = names.iter().map(|name| format!("struct {name} {{ int x; }};\n")).collect();
    let source = of_text(text.as_bytes(), &[]).expect("it is a header").source;
    for name in names {
        assert!(source.contains(&format!("/// `{name}` in C.\ntype {name}_ =\n")), "{name}: {source}");
    }
}

#[test]
fn errors_of_headers_are_reported() {
    let messages = |text: &[u8]| {
        let diagnostics = of_text(text, &[]).expect_err("it is wrong");
        diagnostics
            .into_iter()
            .map(|diagnostic| format!("{} {}\n", diagnostic.code, diagnostic.message))
            .collect::<String>()
    };
    assert!(messages(b"#include \"none.h\"\n").contains("'none.h' file not found"));
    assert!(messages(b"int f(unknown x);\n").contains(".h:1:7: unknown type name 'unknown'"));
    assert!(messages(b"}}}}").starts_with("E0812"));
    assert!(messages(&b"(".repeat(100_000)).starts_with("E0812"));
    assert!(bound(Path::new("/none/a.h"), &LARGE, &[]).is_err());
}

#[test]
fn structs_that_lead_to_each_other_end() {
    let chain: String =
        (0..2_000).rev().map(|n| format!("struct s{n} {{ struct s{} *next; }};\n", (n + 1) % 2_000)).collect();
    let chain_forward: String =
        (0..2_000).map(|n| format!("struct s{n} {{ struct s{} *next; }};\n", (n + 1) % 2_000)).collect();
    for text in [chain, chain_forward] {
        let bindings = of_text(text.as_bytes(), &[]).expect("it is a header");
        assert_eq!(bindings.source.matches("type s").count(), 2_000);
    }
}

/// Mutations of a header lead to a module or to diagnostics.
#[test]
fn mutations_do_no_harm() {
    let text = fs::read(tests().join("everything.h")).expect("it is there");
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..150 {
        let mut changed = text.clone();
        for _ in 0..random.usize(1..4) {
            let (from, to) = (random.usize(..changed.len()), random.usize(..changed.len()));
            match random.u8(..4) {
                0 => changed[from] = random.u8(..),
                1 => drop(changed.remove(from)),
                2 => changed.swap(from, to),
                _ => {
                    let piece = changed[from.min(to)..from.max(to).min(from.min(to) + 40)].to_vec();
                    changed.splice(to..to, piece);
                }
            }
        }
        let _ = of_text(&changed, &[]);
    }
}
