//! Working with an assistant in a chat: archives to attach, a guide for the assistant, and its replies checked and applied.
#![warn(clippy::disallowed_methods)]

pub mod apply;
pub mod check_reply;
pub mod guide;
pub mod init;
pub mod reply;
pub mod run;
pub mod snap;
