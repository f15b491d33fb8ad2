//! Timings: the only place of this crate that reads the clock.
//!
//! They are shown on request, and are never part of an artifact.

use std::time::{Duration, Instant};

/// One stage of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The name of the stage.
    pub name: &'static str,
    /// The time from start to end.
    pub wall: Duration,
    /// The number of files.
    pub files: usize,
    /// The bytes of the files.
    pub bytes: u64,
}

/// The stages of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// The stages.
    pub stages: Vec<Stage>,
}

impl Timings {
    /// Runs work as a stage without files.
    pub fn measure<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let clock = Stopwatch::start();
        let done = work();
        self.record(name, &clock, 0, 0);
        done
    }

    /// Adds a stage that `clock` measured.
    pub fn record(&mut self, name: &'static str, clock: &Stopwatch, files: usize, bytes: u64) {
        self.stages.push(Stage { name, wall: clock.elapsed(), files, bytes });
    }

    /// The sum of all stages.
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|stage| stage.wall).sum()
    }
}

/// A stopwatch.
#[derive(Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "the one clock outside the front ends")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
