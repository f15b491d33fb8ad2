//! Kotlin.

pub mod syntax;
