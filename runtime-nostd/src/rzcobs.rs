//! The encoding of log frames: no byte of a frame is zero, so that a zero terminates it, and zeros of a frame take an
//! eighth of a byte (Dario Nieuwenhuis, "rzCOBS", <https://github.com/Dirbaio/rzcobs>). Descriptor bytes come after the
//! bytes they describe, so that nothing has to be buffered until the end.

/// The number of bytes described by one bit each, which says whether the byte is zero.
const SPARSE: u8 = 7;

/// The longest run of bytes without a zero.
const DENSE: u8 = 134;

/// A frame that is being encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Encoder {
    /// Bytes since the last descriptor byte.
    run: u8,
    /// Which of the first seven of them are zero.
    zeros: u8,
}

impl Encoder {
    /// A frame without bytes.
    pub const NEW: Encoder = Encoder { run: 0, zeros: 0 };

    /// Encodes the next byte; passes the output to `emit`.
    pub fn push(&mut self, byte: u8, emit: &mut impl FnMut(u8)) {
        if self.run < SPARSE {
            if byte == 0 {
                self.zeros |= 1 << self.run;
            } else {
                emit(byte);
            }
            self.run += 1;
            if self.run == SPARSE && self.zeros != 0 {
                emit(self.zeros);
                *self = Encoder::NEW;
            }
        } else if byte == 0 {
            emit((self.run - SPARSE) | 0x80);
            *self = Encoder::NEW;
        } else {
            emit(byte);
            self.run += 1;
            if self.run == DENSE {
                emit(0xff);
                *self = Encoder::NEW;
            }
        }
    }

    /// Ends the frame.
    pub fn end(self, emit: &mut impl FnMut(u8)) {
        match self.run {
            0 => {}
            1..SPARSE => emit((self.zeros | 0xff << self.run) & 0x7f),
            _ => emit((self.run - SPARSE) | 0x80),
        }
        emit(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(frame: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::NEW;
        frame.iter().for_each(|byte| encoder.push(*byte, &mut |byte| bytes.push(byte)));
        encoder.end(&mut |byte| bytes.push(byte));
        bytes
    }

    /// Decodes a frame from its end, as the format's description says; zeros may follow it.
    fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut rest = bytes.iter().rev().copied();
        let mut frame = Vec::new();
        while let Some(said) = rest.next() {
            match said {
                0 => return None,
                1..0x80 => {
                    for place in (0..7).rev() {
                        frame.push(if said >> place & 1 == 1 { 0 } else { rest.next()? });
                    }
                }
                0xff => {
                    for _ in 0..134 {
                        frame.push(rest.next()?);
                    }
                }
                _ => {
                    frame.push(0);
                    for _ in 0..said - 0x80 + 7 {
                        frame.push(rest.next()?);
                    }
                }
            }
        }
        frame.reverse();
        Some(frame)
    }

    proptest! {
        #[test]
        fn frames_come_back(frame in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>(), 1..=255_u8], 0..400)) {
            let bytes = encoded(&frame);
            let (end, content) = bytes.split_last().expect("a frame has an end");
            prop_assert_eq!(*end, 0);
            prop_assert!(!content.contains(&0));
            let read = decoded(content).expect("it is complete");
            prop_assert!(read.starts_with(&frame));
            prop_assert!(read[frame.len()..].iter().all(|byte| *byte == 0));
        }

        #[test]
        fn long_frames_without_zeros_come_back(length in 0..600_usize) {
            let frame = vec![7; length];
            let bytes = encoded(&frame);
            let read = decoded(&bytes[..bytes.len() - 1]).expect("it is complete");
            prop_assert!(read.starts_with(&frame));
        }
    }
}
