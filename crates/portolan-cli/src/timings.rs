//! `--timings`: the stages of a run as a table, or as JSON.

use std::fmt::Write as _;

use portolan_index::timings::Timings;
use portolan_wire::answer::{StageV1, TimingsV1};

use crate::context::Context;

/// Shows the stages on stderr: they are talk, whatever the answer is.
pub(crate) fn say(ctx: &mut Context, timings: &Timings) {
    let mut text = format!("{:<10} {:>10} {:>8} {:>12}", "stage", "ms", "files", "bytes");
    for stage in &timings.stages {
        let _ = write!(
            text,
            "\n{:<10} {:>10.1} {:>8} {:>12}",
            stage.name,
            stage.wall.as_secs_f64() * 1000.0,
            stage.files,
            stage.bytes
        );
    }
    let _ = write!(text, "\n{:<10} {:>10.1}", "total", timings.total().as_secs_f64() * 1000.0);
    ctx.say(&text);
}

/// The stages for machines.
pub(crate) fn to_wire(timings: &Timings) -> TimingsV1 {
    let stages = timings.stages.iter().map(|stage| StageV1 {
        name: stage.name,
        milliseconds: stage.wall.as_secs_f64() * 1000.0,
        files: stage.files,
        bytes: stage.bytes,
    });
    TimingsV1 { stages: stages.collect() }
}
