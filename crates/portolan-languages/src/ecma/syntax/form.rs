//! The ways a specifier is looked up.

use crate::ImportForm;

/// How an import is written. The resolver knows the forms by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// By the rules for `import`: static, dynamic, in a type, `import.meta.resolve`.
    Import,
    /// By the rules for `require`, also `require.resolve` and `import x = require()`.
    Require,
    /// `/// <reference path="x" />`: a file next to this one, `./` or not.
    ReferencePath,
    /// `/// <reference types="x" />`: a package of types.
    ReferenceTypes,
    /// `new URL('x', import.meta.url)`: a file relative to this one, as written.
    Url,
}

impl Form {
    /// Every form, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Import, Self::Require, Self::ReferencePath, Self::ReferenceTypes, Self::Url];
}

impl From<Form> for ImportForm {
    fn from(form: Form) -> Self {
        Self(form as u8)
    }
}
