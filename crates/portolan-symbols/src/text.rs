//! Slices of texts: which lines of which files show a set of declarations.
//!
//! Only whole lines are shown, as they are in the file. A declaration is shown completely or as its
//! signature; for a class or an interface that includes the signatures of its members (or only of
//! the mentioned ones, if there are many). Omitted lines inside a shown declaration are counted.

mod blocks;
mod declaration_lines;
mod lines;
mod render;

#[cfg(test)]
mod tests;

pub use self::blocks::{TextBlock, blocks};
pub use self::declaration_lines::{MANY_MEMBERS, Show, ShownFiles, SourceText, lines_of, ranges};
pub use self::lines::LineStarts;
pub use self::render::{FileSlice, ShownRegion, render_file};
