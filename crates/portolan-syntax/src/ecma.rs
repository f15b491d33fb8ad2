//! TypeScript and JavaScript.

pub(crate) mod declarations;
