//! Hostile surroundings: descriptors that cannot work, files under several names, endless files, signals. Each gets a clear error,
//! and nothing of the user is lost.

use std::{
    fs,
    os::unix::{fs::symlink, process::CommandExt},
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

fn clefc(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command
}

/// A directory with a good source file, `a.clef`, and files of these names and texts.
fn workshop(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in [("a.clef", "let x = 1\n")].iter().chain(files) {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("it is writable");
        fs::write(path, text).expect("it is writable");
    }
    directory
}

/// Asserts that clefc rejects the arguments with status 1 and prints each part.
fn refused(directory: &Path, arguments: &[&str], parts: &[&str]) {
    let Output { status, stderr, .. } = clefc(directory, arguments).output().expect("clefc starts");
    let stderr = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(1), "{arguments:?}\n{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{arguments:?}: {part:?} is missing in\n{stderr}");
    }
    assert!(!stderr.contains("internal compiler error") && !stderr.contains("LLVM ERROR"), "{arguments:?}\n{stderr}");
}

#[test]
fn what_is_read_is_not_overwritten() {
    const MAIN: &str = "[<Test>]\nlet adds () = Assert.equal 4 (2 + 2)\n";
    let files = [
        ("board.yaml", "inherits: ./parent.yaml\n"),
        ("parent.yaml", "inherits: microbit\ntarget: target\n"),
        ("target.yaml", "inherits: thumbv6m\n"),
        ("t.clef", MAIN),
        ("testplan.yaml", "suites:\n  - { paths: [t.clef], on: [host-linux] }\n"),
        ("app/clef.toml", "name = \"app\"\nsources = [\"../a.clef\"]\n"),
        ("c.o", "no object"),
        ("base.yaml", "inherits: host-linux\n"),
        ("here.yaml", "inherits: ./base.yaml\n"),
    ];
    let directory = workshop(&files);
    let path = directory.path();
    fs::hard_link(path.join("parent.yaml"), path.join("hard")).expect("it is writable");
    symlink("target.yaml", path.join("soft")).expect("it is writable");
    for product in ["a.clef", "board.yaml", "parent.yaml", "target.yaml", "hard", "soft", "./app/../board.yaml"] {
        refused(path, &["--board", "./board.yaml", "-o", product, "a.clef"], &["E0005", "would overwrite the input"]);
        refused(path, &["--board", "./board.yaml", "--emit", "core", "-o", product, "a.clef"], &["E0005"]);
    }
    refused(path, &["app", "-o", "app/clef.toml"], &["E0005"]);
    for report in ["--junit", "--json"] {
        refused(path, &["test", "--plan", "testplan.yaml", report, "testplan.yaml"], &["E0005", "`testplan.yaml`"]);
        refused(path, &["test", "--plan", "testplan.yaml", report, "t.clef"], &["E0005", "`t.clef`"]);
    }
    // Before any test runs.
    for report in ["t.clef", "base.yaml"] {
        let arguments = ["test", "--board", "./here.yaml", "--junit", report, "t.clef"];
        refused(path, &arguments, &["E0005", report]);
        let Output { stdout, stderr, .. } = clefc(path, &arguments).output().expect("clefc starts");
        let said = [stdout, stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains("adds"), "{}", String::from_utf8_lossy(&said));
    }
    refused(path, &["test", "--junit", "r", "--json", "./r", "t.clef"], &["E0005", "several outputs"]);
    for (name, text) in files {
        assert_eq!(fs::read_to_string(path.join(name)).expect("it is there"), text, "{name}");
    }
    assert!(!path.join("r").exists());
}

#[test]
fn objects_are_not_overwritten() {
    let directory = workshop(&[("c.c", "int one(void) { return 1; }\n")]);
    let path = directory.path();
    let made = Command::new("clang-22").args(["-c", "c.c", "-o", "c.o"]).current_dir(path).status();
    assert!(made.is_ok_and(|status| status.success()), "clang-22 is part of the set-up");
    let before = fs::read(path.join("c.o")).expect("it is there");
    refused(path, &["--link", "c.o", "-o", "c.o", "a.clef"], &["E0005", "the input `c.o`"]);
    assert_eq!(fs::read(path.join("c.o")).expect("it is there"), before);
}

#[test]
fn an_object_that_breaks_the_linker_is_named() {
    let directory = workshop(&[("c.c", "int counter; int add(int a) { return counter += a; }\n")]);
    let path = directory.path();
    let arguments = ["--target=thumbv6m-none-eabi", "-mcpu=cortex-m0", "-g", "-c", "c.c", "-o", "c.o"];
    let made = Command::new("clang-22").args(arguments).current_dir(path).status();
    assert!(made.is_ok_and(|status| status.success()), "clang-22 is part of the set-up");
    let good = fs::read(path.join("c.o")).expect("it is there");
    let elf = goblin::elf::Elf::parse(&good).expect("it is an object");
    let mut rejected = 0;
    // Relocations of symbols that do not exist.
    for header in elf.section_headers.iter().filter(|header| header.sh_type == goblin::elf::section_header::SHT_REL) {
        let mut broken = good.clone();
        let place = header.sh_offset as usize + 5;
        broken[place..place + 3].fill(0xff);
        fs::write(path.join("c.o"), broken).expect("it is writable");
        let arguments = ["--board", "microbit", "--link", "c.o", "-o", "x.elf", "a.clef"];
        let Output { status, stderr, .. } = clefc(path, &arguments).output().expect("clefc starts");
        let stderr = String::from_utf8_lossy(&stderr);
        // What the image does not need, the linker does not look at.
        let is_named = stderr.contains("c.o") && !stderr.contains("input-") && stderr.len() < 4000;
        assert!(status.success() || status.code() == Some(1) && is_named, "{stderr}");
        rejected += usize::from(!status.success());
    }
    assert!(rejected > 0);
}

#[test]
fn processors_and_features_are_llvms() {
    let directory = workshop(&[
        ("cpu.yaml", "inherits: thumbv7em\ncpu: corex-m4\n"),
        ("feature.yaml", "inherits: thumbv7em\nfeatures:\n  - \"-fpregs\"\n  - \"+strict-algn\"\n"),
        ("profile.yaml", "inherits: thumbv7em\ncpu: cortex-a9\n"),
        ("width.yaml", "inherits: x86_64-linux\ncpu: i386\n"),
        ("sse.yaml", "inherits: x86_64-linux\nfeatures: [\"-sse2\"]\n"),
        ("set.yaml", "inherits: thumbv6m\ncpu: cortex-m4\n"),
        ("lower.yaml", "inherits: thumbv7em-hf\ncpu: cortex-m0\n"),
        ("main.yaml", "inherits: thumbv8m.main-hf\ncpu: cortex-m23\n"),
        ("soft.yaml", "inherits: thumbv7em\nfeatures: []\n"),
        ("hard.yaml", "inherits: thumbv7m\nfloat_abi: hard\n"),
    ]);
    for (file, parts) in [
        ("cpu", &["E0805", "cpu.yaml:2:6", "write `cortex-m4`"][..]),
        ("feature", &["E0805", "feature.yaml:4:5", "write `+strict-align`"]),
        ("profile", &["E0805", "profile.yaml:2:6", "not a Cortex-M"]),
        ("width", &["E0805", "width.yaml:2:6"]),
        ("sse", &["E0805", "SSE2"]),
        ("set", &["E0805", "set.yaml:2:6", "not a processor of Armv6-M", "`cortex-m0plus`"]),
        ("lower", &["E0805", "lower.yaml:2:6", "not a processor of Armv7E-M with an FPU", "`cortex-m4`, `cortex-m7`"]),
        ("main", &["E0805", "main.yaml:2:6", "Armv8-M Mainline", "`cortex-m33`"]),
        ("soft", &["E0805", "soft.yaml:2:11", "add `\"-fpregs\"`"]),
        ("hard", &["E0805", "hard.yaml:2:12", "requires an FPU, which no processor of Armv7-M has"]),
    ] {
        refused(directory.path(), &["--target", &format!("./{file}.yaml"), "a.clef"], parts);
    }
}

#[test]
fn boards_that_cannot_work_are_refused() {
    let endless: String = (0..2000).map(|key| format!("k{key}: 1\n")).collect();
    for (text, parts) in [
        ("inherits: microbit\nmemory: { flash: { origin: 0x40 } }", &["E0807", "b.yaml:2:28", "multiple of 256"][..]),
        ("inherits: nucleo-f446re\nboot_block: rp2040", &["E0805", "b.yaml:2:13", "for the RP2040"]),
        ("inherits: rpi-pico\nboot_block: rp2350", &["E0805", "b.yaml:2:13", "for the RP2350"]),
        ("inherits: microbit\nconsole: { kind: syscalls }", &["E0805", "b.yaml:2:10", "`linux`"]),
        ("inherits: microbit\nexit: { kind: syscall }", &["E0805", "b.yaml:2:7", "`linux`"]),
        ("inherits: microbit\nexit: { kind: isa-debug-exit, port: 0xf4 }", &["E0805", "b.yaml:2:7", "`pvh`"]),
        ("inherits: microbit\nrun: { kind: native }", &["E0805", "b.yaml:2:6", "`linux`"]),
        ("inherits: nucleo-f446re\npins: { x: P1.13 }", &["E0805", "b.yaml:2:12", "`PH0` to `PH1`"]),
        ("inherits: nucleo-f446re\npins: { x: PI3 }", &["E0805", "b.yaml:2:12", "no pin `PI3`"]),
        ("inherits: microbit\nuart: { transmit: P1.24 }", &["E0805", "b.yaml:2:19", "no pin `P1.24`"]),
        ("inherits: host-linux\npins: { x: PA1 }", &["E0805", "b.yaml:2:1", "`pins` requires `gpio`"]),
        ("inherits: microbit\nvectors: 100000000", &["E0805", "b.yaml:2:10", "at most 480"]),
        ("inherits: /dev/zero", &["E0001", "b.yaml:1:11", "larger than 1 MiB"]),
        ("inherits: host-linux\nregion_pool: { size: 1024G }", &["E0807", "b.yaml:2:14"]),
        ("inherits: qemu-q35\nmemory: { ram: { length: 1024G } }", &["E0807", "cannot address"]),
        ("inherits: microbit\nmemory: { ram: { length: 1024G } }", &["E0807", "cannot address"]),
        (&endless, &["E0801", "at most 1000 keys"]),
    ] {
        let directory = workshop(&[("b.yaml", text)]);
        refused(directory.path(), &["--board", "./b.yaml", "a.clef"], parts);
    }
}

#[test]
fn a_long_chain_of_descriptors_is_no_cycle() {
    let name = |number: usize| format!("b{number}.yaml");
    let text = |number: usize| match number {
        20 => "inherits: microbit\n".to_owned(),
        _ => format!("inherits: ./{}\n", name(number + 1)),
    };
    let files: Vec<(String, String)> = (0..=20).map(|number| (name(number), text(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let directory = workshop(&files);
    refused(directory.path(), &["--board", "./b0.yaml", "a.clef"], &["E0806", "more than 16 files"]);
}

#[test]
fn projects_and_plans_say_what_is_wrong_in_their_own_words() {
    let directory = workshop(&[
        ("none/none.fidproj", "[dependencies]\nd = { path = \"../dep\" }\n"),
        ("near/near.fidproj", "[build]\nsource = [\"../a.clef\"]\n[dependencies]\nd = { path = \"../dep\" }\n"),
        ("dep/dep.fidproj", "[build]\nsources = [\"../a.clef\"]\n"),
        ("time.yaml", "suites:\n  - { paths: [a.clef], on: [host-linux], timeout: soon }\n"),
        ("late.yaml", "suites:\n  - { paths: [a.clef], on: [host-linux], timeout: -1 }\n"),
        ("boot.yaml", "suites:\n  - { paths: [a.clef], on: [host-linux], boot: never }\n"),
        ("list.yaml", "- suites\n"),
    ]);
    let path = directory.path();
    refused(path, &["check", "none"], &["E0010", "missing key `build`"]);
    refused(path, &["check", "near"], &["E0008", "did you mean `sources`?"]);
    refused(path, &["test", "--plan", "time.yaml"], &["E0011", "a number of seconds"]);
    refused(path, &["test", "--plan", "late.yaml"], &["E0011", "late.yaml:2:51", "seconds greater than zero"]);
    refused(path, &["test", "--plan", "boot.yaml"], &["E0011", "`test` or `shared`, not `never`"]);
    refused(path, &["test", "--plan", "list.yaml"], &["E0011", "a mapping with `suites`"]);
    refused(path, &["test", "--jobs", "1000000000", "a.clef"], &["1 to 1000"]);
}

#[test]
fn a_program_that_never_comes_to_its_tests_is_told() {
    let directory = workshop(&[("t.clef", "[<Test>]\nlet passes () = ()\n\nwhile true do ()\n")]);
    refused(directory.path(), &["test", "t.clef"], &["E0", "never reaches its tests"]);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let directory = workshop(&[("x\u{1b}[31m\u{202e}.clef", "let x = y\n"), ("b.yaml", "inherits: \"a\\eb\"\n")]);
    let path = directory.path();
    for arguments in [
        &["check", "x\u{1b}[31m\u{202e}.clef"][..],
        &["check", "none\u{1b}[31m.clef"],
        &["check", "--board", "\u{1b}[31m", "a.clef"],
        &["check", "--board", "./b.yaml", "a.clef"],
    ] {
        let Output { status, stderr, .. } = clefc(path, arguments).output().expect("clefc starts");
        let stderr = String::from_utf8(stderr).expect("clefc writes UTF-8");
        assert_eq!(status.code(), Some(1), "{stderr}");
        assert!(!stderr.contains(['\u{1b}', '\u{202e}']), "{arguments:?}: {stderr:?}");
        assert!(stderr.contains("\\u{1b}"), "{arguments:?}: {stderr:?}");
    }
}

#[test]
fn signals_leave_nothing_behind() {
    const RUNS: &str = "while true do ()\n";
    const TESTED: &str = "[<Test>]\nlet spins () = while true do ()\n";
    for (text, command) in [(RUNS, ["run", "spin.clef"]), (TESTED, ["test", "spin.clef"])] {
        for signal in ["INT", "TERM", "HUP"] {
            let directory = workshop(&[("spin.clef", text)]);
            let temporary = tempfile::tempdir().expect("a temporary directory");
            let names = || -> Vec<String> {
                let entries = fs::read_dir(temporary.path()).expect("it is there").flatten();
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            };
            // Whoever runs the tests may ignore signals, and then clefc would.
            let mut clefc = Command::new("env");
            clefc.args(["--default-signal", env!("CARGO_BIN_EXE_clefc")]).args(command).current_dir(&directory);
            clefc
                .stdin(Stdio::null())
                .env("TMPDIR", temporary.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0);
            let mut child = clefc.spawn().expect("clefc starts");
            let start = Instant::now();
            let is_run = |name: &String| name.starts_with("clefc-run-") || name.starts_with("clefc-test-");
            while !names().iter().any(is_run) {
                assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().is_ok_and(|end| end.is_none()));
                thread::sleep(Duration::from_millis(20));
            }
            thread::sleep(Duration::from_millis(200));
            let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
            assert!(sent.is_ok_and(|status| status.success()));
            let status = child.wait().expect("it ends");
            assert!(!status.success(), "{command:?} {signal}: {status}");
            assert_eq!(names(), Vec::<String>::new(), "{command:?} {signal}");
        }
    }
}

#[test]
fn every_exit_status_is_exact() {
    let directory = workshop(&[("exit.clef", "[<EntryPoint>]\nlet main _ = 0\n")]);
    let path = directory.path();
    for status in [0, 1, 3, 100, 127, 128, 200, 254, 255] {
        let text = format!("[<EntryPoint>]\nlet main _ = {status}\n");
        fs::write(path.join("exit.clef"), text).expect("it is writable");
        for board in ["qemu-q35", "qemu-microvm"] {
            let arguments = ["run", "--board", board, "--timeout", "60", "exit.clef"];
            let Output { status: ended, stderr, .. } = clefc(path, &arguments).output().expect("clefc starts");
            assert_eq!(ended.code(), Some(status), "{board}: {}", String::from_utf8_lossy(&stderr));
        }
    }
}
