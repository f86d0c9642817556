//! Scripts of shipped boards, and links of objects that the linker itself makes from scripts and data.
