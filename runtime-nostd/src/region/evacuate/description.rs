//! Where the pointers in memory of each type are: the in-memory format of the tables that code generation makes.

/// How an [`Entry`] is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// No entry follows.
    End = 0,
    /// A text: its address at `first`, its length in bytes at `second`.
    Text = 1,
    /// An array: its address at `first`, its length at `second`; elements of `size` bytes, whose pointers `table`
    /// lists.
    Array = 2,
    /// At `first` the address of a cell of `size` bytes, whose pointers `table` lists.
    Cell = 3,
    /// At `first` the address of a node of the [`Case`] at `table`, or a number below `count`. Unless `second` is zero,
    /// nodes outside the regions are read too, because something in them can be overwritten.
    Node = 4,
    /// At `first` the address of a node that begins with its tag of `size` bytes; `table` holds a [`Case`] for each tag.
    /// `second` is as for `Node`.
    TaggedNode = 5,
    /// At `first` the address of a closure; `table` holds `count` [`Lambda`]s. `second` is as for `Node`.
    Closure = 6,
    /// At `first` the handle of a region.
    Handle = 7,
    /// At `first` a tag of `size` bytes; `table` holds the address of a list of entries for each tag.
    Cases = 8,
}

/// The location of a pointer in memory of some type, and what it points to; it is null until it is set. Offsets, sizes
/// and alignments are in bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Entry {
    /// Determines the meaning of the other members.
    pub kind: Kind,
    /// An offset.
    pub first: u32,
    /// Another offset, or a number.
    pub second: u32,
    /// A count.
    pub count: u32,
    /// A size.
    pub size: u32,
    /// The alignment of what is pointed to.
    pub align: u32,
    /// Further tables; entries unless the kind says otherwise.
    pub table: *const (),
}

/// A node of one case.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Case {
    /// Bytes of the node.
    pub size: u32,
    /// The alignment of its address.
    pub align: u32,
    /// The pointers in it.
    pub entries: *const Entry,
}

/// A closure of one function.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Lambda {
    /// The code address that the closure begins with.
    pub code: *const (),
    /// The struct.
    pub node: Case,
}

/// The tag of `bytes` bytes at an address.
///
/// # Safety
/// There is one.
pub(super) unsafe fn tag(address: *mut u8, bytes: u32) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => address.read() as usize,
            2 => address.cast::<u16>().read() as usize,
            _ => address.cast::<u32>().read() as usize,
        }
    }
}
