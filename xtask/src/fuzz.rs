//! `cargo xtask fuzz`: mutated inputs for every reader of untrusted text.
//!
//! A small fuzzer of our own for the stable toolchain. It starts from the committed corpus
//! (`fuzz/corpus/<target>`), cuts, copies, repeats and mixes, inserts words that readers know
//! ([`words::WORDS`]), and keeps an input for further mutation if the reader gives a new kind of
//! answer. A target panics if its promise is broken; an input that takes too long ends the process.
//! Both are reported with the input, which then belongs in the corpus.
//!
//! With `--guided` libFuzzer does the work and sees which code an input reaches. That needs
//! `cargo install cargo-fuzz`. Its corpus stays in the temporary folder.
//!
//! CI runs a fixed number of rounds from a fixed seed (the test below); this chore runs as long as
//! you like, from the same or another seed.

mod guided;
mod targets;
mod words;

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Args;

use crate::ChoreResult;
use targets::{FuzzTarget, TARGETS};
use words::WORDS;

/// The arguments of `cargo xtask fuzz`.
#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// The targets; all of them if none is named
    target: Vec<String>,
    /// How long to run each
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Another seed gives other inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use libFuzzer (needs `cargo-fuzz`)
    #[arg(long)]
    guided: bool,
}

/// The longest input.
const MAX_INPUT: usize = 64 << 10;
/// The most inputs that are kept in addition to the corpus.
const MAX_KEPT: usize = 2_000;
/// An input that takes longer counts as a hang.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Runs the targets.
pub(crate) fn run(args: &FuzzArgs) -> ChoreResult<()> {
    let is_asked = |target: &&FuzzTarget| {
        args.target.is_empty() || args.target.iter().any(|name| name == target.name)
    };
    let chosen: Vec<&FuzzTarget> = TARGETS.iter().filter(is_asked).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("no such target; the targets are {}", names.join(", ")).into());
    }
    if args.guided {
        return chosen.into_iter().try_for_each(|target| guided::run(target, args));
    }
    panic::set_hook(Box::new(|_| {}));
    for target in chosen {
        let end = Instant::now() + Duration::from_secs(args.seconds);
        let mut campaign = Campaign::new(target, args.seed);
        let watch = HangWatch::start();
        while Instant::now() < end {
            campaign.round(Some(&watch)).map_err(|finding| finding.report(target))?;
        }
        eprintln!(
            "{}: {} inputs in {} s, {} kept, nothing found",
            target.name,
            campaign.rounds,
            args.seconds,
            campaign.kept()
        );
    }
    Ok(())
}

/// The corpus folder of a target.
fn corpus(target: &FuzzTarget) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target.name)
}

/// A panic, with the input that causes it.
struct FuzzFailure {
    input: Vec<u8>,
    message: String,
}

impl FuzzFailure {
    /// Writes the input next to the corpus and describes the failure.
    fn report(self, target: &FuzzTarget) -> String {
        let name = format!("crash-{:016x}", hash(&self.input));
        let path = std::env::temp_dir().join(format!("{}-{name}", target.name));
        let kept = fs::write(&path, &self.input).map(|()| path.display().to_string());
        format!(
            "{}: {}\nthe input is in {}",
            target.name,
            self.message,
            kept.unwrap_or_else(|error| error.to_string())
        )
    }
}

/// The inputs of one target so far.
struct Campaign {
    target: &'static FuzzTarget,
    pool: Vec<Vec<u8>>,
    corpus_size: usize,
    seen: BTreeSet<String>,
    rng: FuzzRng,
    rounds: u64,
}

impl Campaign {
    fn new(target: &'static FuzzTarget, seed: u64) -> Self {
        let mut files: Vec<PathBuf> = fs::read_dir(corpus(target))
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default();
        files.sort();
        let pool: Vec<Vec<u8>> = files.iter().filter_map(|path| fs::read(path).ok()).collect();
        let corpus_size = pool.len();
        Self { target, pool, corpus_size, seen: BTreeSet::new(), rng: FuzzRng(seed), rounds: 0 }
    }

    fn kept(&self) -> usize {
        self.pool.len() - self.corpus_size
    }

    /// Tries one input: first those of the corpus unchanged, then mutated ones.
    fn round(&mut self, watch: Option<&HangWatch>) -> Result<(), FuzzFailure> {
        let input = match self.pool.get(self.rounds as usize) {
            Some(input) if (self.rounds as usize) < self.corpus_size => input.clone(),
            _ => self.mutated(),
        };
        self.rounds += 1;
        let answer = attempt(self.target, &input, watch)?;
        if self.seen.insert(kind_of(&answer)) && self.kept() < MAX_KEPT {
            self.pool.push(input);
        }
        Ok(())
    }

    fn mutated(&mut self) -> Vec<u8> {
        let Self { pool, rng, .. } = self;
        let mut input = pool.get(rng.below(pool.len())).cloned().unwrap_or_default();
        for _ in 0..=rng.below(6) {
            let other = pool.get(rng.below(pool.len())).map(Vec::as_slice).unwrap_or_default();
            mutate(rng, &mut input, other);
        }
        input.truncate(MAX_INPUT);
        input
    }
}

/// Gives the input to the target. Returns its answer, or the message of its panic.
fn attempt(
    target: &FuzzTarget,
    input: &[u8],
    watch: Option<&HangWatch>,
) -> Result<String, FuzzFailure> {
    if let Some(watch) = watch {
        watch.begin(input);
    }
    let answer = panic::catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    if let Some(watch) = watch {
        watch.end();
    }
    answer.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        FuzzFailure { input: input.to_vec(), message: text.unwrap_or("it panicked").to_owned() }
    })
}

/// The words of an answer without numbers and quotations, which differ from input to input.
fn kind_of(answer: &str) -> String {
    let mut is_quoted = false;
    let kept = answer.chars().filter(|c| {
        if matches!(c, '`' | '"' | '\'') {
            is_quoted = !is_quoted;
        }
        !is_quoted && !c.is_ascii_digit()
    });
    kept.take(120).collect()
}

fn mutate(rng: &mut FuzzRng, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = rng.below(bytes.len() + 1);
    let end = (at + rng.below(40)).min(bytes.len());
    match rng.below(9) {
        0 | 1 => drop(bytes.splice(at..at, WORDS[rng.below(WORDS.len())].bytes())),
        2 => bytes.truncate(at),
        3 if at < bytes.len() => bytes[at] = rng.next() as u8,
        4 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        5 => drop(bytes.drain(at..end)),
        6 => {
            let copy = bytes[at..end].to_vec();
            let to = rng.below(bytes.len() + 1);
            drop(bytes.splice(to..to, copy));
        }
        7 => {
            // Repeats a word or a piece many times, for depth and length.
            let piece = bytes[at..(at + 1 + rng.below(8)).min(bytes.len())].to_vec();
            let repeated = piece.repeat(1 << rng.below(12));
            drop(bytes.splice(at..at, repeated));
        }
        _ => {
            let from = rng.below(other.len() + 1);
            let until = (from + rng.below(200)).min(other.len());
            drop(bytes.splice(at..end, other[from..until].iter().copied()));
        }
    }
}

/// A deterministic random number generator.
struct FuzzRng(u64);

impl FuzzRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// When an input was given to the target, and the input.
type Attempt = (Instant, Vec<u8>);

/// Ends the process if an input takes too long.
struct HangWatch {
    current: Arc<Mutex<Option<Attempt>>>,
}

impl HangWatch {
    fn start() -> Self {
        let current: Arc<Mutex<Option<Attempt>>> = Arc::default();
        let watched = Arc::clone(&current);
        thread::spawn(move || {
            while Arc::strong_count(&watched) > 1 {
                thread::sleep(Duration::from_millis(200));
                let slot = watched.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((since, input)) = slot.as_ref()
                    && since.elapsed() > TIMEOUT
                {
                    let path = std::env::temp_dir().join(format!("hang-{:016x}", hash(input)));
                    let _ = fs::write(&path, input);
                    eprintln!("error: the target hangs; the input is in {}", path.display());
                    std::process::abort();
                }
            }
        });
        Self { current }
    }

    fn begin(&self, input: &[u8]) {
        self.set(Some((Instant::now(), input.to_vec())));
    }

    fn end(&self) {
        self.set(None);
    }

    fn set(&self, value: Option<Attempt>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }
}

#[cfg(test)]
mod tests {
    use portolan_testkit::reliability;

    use super::{Campaign, TARGETS, corpus};

    /// Enough rounds for the easy failures; the chore finds the rest.
    const ROUNDS: u64 = 400;

    #[test]
    fn no_mutated_input_breaks_a_reader() {
        for target in TARGETS {
            assert!(corpus(target).is_dir(), "{} has no corpus", target.name);
            let mut campaign = Campaign::new(target, 1);
            for _ in 0..ROUNDS {
                if let Err(finding) = campaign.round(None) {
                    panic!("{}", finding.report(target));
                }
            }
            assert!(campaign.kept() > 1, "{} says the same to everything", target.name);
        }
        reliability::row(
            "fuzzing",
            "mutated inputs for every reader of untrusted text, in CI",
            TARGETS.len() * ROUNDS as usize,
            "no panic; values survive a round trip; errors have a place",
        );
    }
}
