//! The command line from outside: arguments and input in, streams and exit code out.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up should fail")]

mod select;
