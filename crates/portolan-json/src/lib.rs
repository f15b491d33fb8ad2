//! JSON that somebody else wrote: one reader for states, manifests, configurations and syntax trees.
//!
//! [`Events`] is the grammar: a text becomes events, each with its place, in a loop and not by
//! recursion. [`parse`] makes values of them that know where they stand. Two slips that people and
//! language models love, trailing commas and comments, can be noted and stepped over, so that one
//! reading finds all there is to mend. Everything else must be JSON.
//!
//! Where a shape is known and nobody needs a place, `serde_json` reads it.

mod events;
mod place;
mod value;

pub use events::{Event, Events, Fault, Rules, Slip, Token};
pub use place::positions;
pub use value::{parse, parse_strict, Document, Json, Located, Member, SyntaxError};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
