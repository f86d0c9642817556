//! One `clefc` at a time uses a probe.

use super::Probe;
use crate::source_files::reason;
use clef_base::{Diagnostic, codes};
use std::{
    env,
    fs::{File, TryLockError},
    io::{self, ErrorKind},
    path::Path,
};

/// Takes the probe, whatever process it is that wants it next; it is free again when the result is dropped. `waiting` is called
/// if another has it.
pub(crate) fn lock(probe: &Probe, waiting: impl FnOnce(&str)) -> Result<File, Diagnostic> {
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
        let message = format!("cannot lock the debug probe `{device}` by `{}`: {}", path.display(), reason(&error));
        Diagnostic::general(codes::UNWRITABLE_FILE, message)
    })
}

/// Another user may have made the file, who lets others read it.
fn open(path: &Path) -> io::Result<File> {
    match File::options().create(true).append(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(path),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    fn the_second_waits_for_the_first() {
        let selector = format!("test:{}", std::process::id());
        let probe = Probe { selector: Some(selector.clone()), ..Probe::default() };
        let first = lock(&probe, |_| panic!("nobody has it")).expect("it is free");
        let (sender, waits) = mpsc::channel();
        let second = thread::spawn(move || lock(&probe, |device| sender.send(device.to_owned()).expect("it is heard")));
        assert_eq!(waits.recv(), Ok(selector));
        drop(first);
        second.join().expect("it ends").expect("it is free");
    }
}
