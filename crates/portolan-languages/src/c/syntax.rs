//! Reads what is special about C and C++: includes, and which of the two a header is in.

pub(crate) mod annotations;
pub(crate) mod dialect;
pub(crate) mod includes;
pub(crate) mod names;
