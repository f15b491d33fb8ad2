//! Reads JSON that others wrote: states, manifests, configurations and syntax trees.
//!
//! [`Events`] is the grammar. It turns a text into events with offsets, in a loop and without
//! recursion. [`parse`] builds values from them that know their offsets. People and language models
//! often write trailing commas and comments; the reader can skip and record these, so one pass finds
//! everything to fix. Everything else must be valid JSON.
//!
//! Where the shape is known and no position is needed, use `serde_json`.

mod events;
mod place;
mod value;

pub use events::{Deviation, Event, Events, JsonToken, ReadFault, ReaderOptions};
pub use place::positions;
pub use value::{Json, JsonDocument, JsonMember, LocatedJson, SyntaxError, parse, parse_strict};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
