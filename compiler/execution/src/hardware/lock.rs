//! Ensures that only one `clefc` at a time uses a probe.

use super::Probe;
use clef_base::{Diagnostic, codes};
use clef_host::user_files::reason;
use rustix::{fs::OFlags, io::Errno};
use std::{
    env,
    fs::{File, TryLockError},
    io::{self, ErrorKind},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Locks the probe against all other processes until the result is dropped. `waiting` is called if another process has
/// it.
pub fn lock(probe: &Probe, waiting: impl FnOnce(&str)) -> Result<File, Diagnostic> {
    let device = probe.selector.as_deref().unwrap_or("only");
    let part = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let path = env::temp_dir().join(format!("clefc-probe-{}.lock", device.chars().map(part).collect::<String>()));
    let locked = open(&path).and_then(|file| {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting(device);
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    });
    locked.map_err(|error| {
        let message = format!("cannot lock the debug probe `{device}` with `{}`: {}", path.display(), reason(&error));
        Diagnostic::general(codes::UNWRITABLE_FILE, message)
    })
}

/// Another user may have made the file, and allows others to read it. Anybody may put a link or a pipe there: neither
/// is followed.
fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let opened = match File::options().create(true).append(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            File::options().read(true).custom_flags(flags).open(path)
        }
        opened => opened,
    };
    match opened {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(io::Error::other("it is not a file")),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            Err(io::Error::other("it is a symbolic link"))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    fn links_and_pipes_are_no_locks() {
        let directory = tempfile::tempdir().expect("a directory");
        let (link, target) = (directory.path().join("link"), directory.path().join("target"));
        std::os::unix::fs::symlink(&target, &link).expect("it is writable");
        assert_eq!(open(&link).expect_err("it is a symbolic link").to_string(), "it is a symbolic link");
        assert!(!target.exists());
        assert!(open(&target).is_ok());
    }

    #[test]
    fn the_second_waits_for_the_first() {
        let selector = format!("test:{}", std::process::id());
        let probe = Probe { selector: Some(selector.clone()), ..Probe::default() };
        let first = lock(&probe, |_| panic!("it must be free")).expect("it is free");
        let (sender, waits) = mpsc::channel();
        let second = thread::spawn(move || lock(&probe, |device| sender.send(device.to_owned()).expect("it is heard")));
        assert_eq!(waits.recv(), Ok(selector));
        drop(first);
        second.join().expect("it ends").expect("it is free");
    }
}
