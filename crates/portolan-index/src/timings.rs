//! Where the time went: the one place of the engine that looks at a clock.
//!
//! Timings are told to whoever asks for them. They are never part of an artifact.

use std::time::{Duration, Instant};

/// One stage of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What was done.
    pub name: &'static str,
    /// How long it took from start to end, on all threads together.
    pub wall: Duration,
    /// How many files it was about.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
}

/// The stages of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// The stages.
    pub stages: Vec<Stage>,
}

impl Timings {
    /// Does some work as a stage, about nothing that is counted.
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

    /// All stages together.
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|stage| stage.wall).sum()
    }
}

/// Measures from its start.
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
