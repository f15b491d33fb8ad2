//! The forms of imports.

use crate::ImportForm;

/// How an import is written. The resolver knows the forms by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EcmaImportForm {
    /// `import`: static, dynamic, in a type, or `import.meta.resolve`.
    Import,
    /// `require`, `require.resolve` and `import x = require()`.
    Require,
    /// `/// <reference path="x" />`: a file relative to this one, with or without `./`.
    ReferencePath,
    /// `/// <reference types="x" />`: a types package.
    ReferenceTypes,
    /// `new URL('x', import.meta.url)`: a file relative to this one, exactly as written.
    Url,
}

impl EcmaImportForm {
    /// All forms, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Import, Self::Require, Self::ReferencePath, Self::ReferenceTypes, Self::Url];
}

impl From<EcmaImportForm> for ImportForm {
    fn from(form: EcmaImportForm) -> Self {
        Self(form as u8)
    }
}
