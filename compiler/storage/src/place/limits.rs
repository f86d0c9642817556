//! How much of the stack one frame may take for what a program allocates.

use clef_base::Bytes;

/// The limits of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameLimits {
    /// The maximum number of buffers for formatted values.
    pub(super) buffers: usize,
    /// The maximum number of elements of an array.
    pub(super) elements: u64,
    /// The maximum size of `NativePtr.stackalloc` memory.
    pub(super) memory: Bytes,
}

impl FrameLimits {
    /// The limits on a stack of this size: fixed ones, or less on a small stack. A buffer takes up to 400
    /// bytes, and most elements take four; memory that the program asks for by its size may take half of the stack.
    pub fn of_stack(stack: Bytes) -> FrameLimits {
        FrameLimits {
            buffers: usize::try_from(stack.0 / 1024).unwrap_or(usize::MAX).min(4),
            elements: (stack.0 / 64).min(64),
            memory: Bytes(stack.0 / 2).min(Bytes(4096)),
        }
    }
}

impl Default for FrameLimits {
    /// The limits on a stack that is large enough.
    fn default() -> FrameLimits {
        FrameLimits::of_stack(Bytes(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_stacks_have_small_frames() {
        let limits = |buffers, elements, memory| FrameLimits { buffers, elements, memory: Bytes(memory) };
        assert_eq!(FrameLimits::of_stack(Bytes(16 << 10)), limits(4, 64, 4096));
        assert_eq!(FrameLimits::of_stack(Bytes(4 << 10)), limits(4, 64, 2048));
        assert_eq!(FrameLimits::of_stack(Bytes(1 << 10)), limits(1, 16, 512));
        assert_eq!(FrameLimits::of_stack(Bytes(512)), limits(0, 8, 256));
    }
}
