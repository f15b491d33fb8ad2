//! C and C++: which file an `#include` means.

pub mod resolve;
pub mod syntax;
