//! The arguments of the program, by whatever means the board has. Compiled only into programs that use them.

#[cfg(not(feature = "linux"))]
mod command_line;
#[cfg(feature = "linux")]
pub(crate) mod process;
#[cfg(feature = "pvh")]
pub(crate) mod start_information;

/// The arguments exceed the memory reserved for them.
pub(crate) struct TooLong;

/// The number of arguments.
pub(crate) fn count() -> Result<usize, TooLong> {
    #[cfg(feature = "linux")]
    return Ok(process::count());
    #[cfg(not(feature = "linux"))]
    command_line::count()
}

/// An argument, by an index below [`count`].
pub(crate) fn item(index: usize) -> &'static [u8] {
    #[cfg(feature = "linux")]
    return process::item(index);
    #[cfg(not(feature = "linux"))]
    command_line::item(index)
}
