//! The arguments of the program, by whatever means the board has. Programs that do not ask for them have none of this.

#[cfg(not(feature = "linux"))]
mod command_line;
#[cfg(feature = "linux")]
pub(crate) mod process;
#[cfg(feature = "pvh")]
pub(crate) mod start_information;

/// There are more than the memory for them holds.
pub(crate) struct TooLong;

/// How many there are.
pub(crate) fn count() -> Result<usize, TooLong> {
    #[cfg(feature = "linux")]
    return Ok(process::count());
    #[cfg(not(feature = "linux"))]
    command_line::count()
}

/// One of them, by an index below [`count`].
pub(crate) fn item(index: usize) -> &'static [u8] {
    #[cfg(feature = "linux")]
    return process::item(index);
    #[cfg(not(feature = "linux"))]
    command_line::item(index)
}
