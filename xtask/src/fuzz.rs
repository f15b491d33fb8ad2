//! `cargo xtask fuzz`: mutated inputs for every reader of text from outside.
//!
//! A small fuzzer of our own, for the stable toolchain: it starts from the committed corpus
//! (`fuzz/corpus/<target>`), cuts, copies, repeats and mixes, puts in words that mean something
//! ([`words::WORDS`]), and keeps an input for further mutation when the reader's answer to it is one
//! that was not seen before. A target panics where its promise is broken; an input that takes too long
//! ends the process. Both are told with the input, which then belongs into the corpus.
//!
//! With `--guided` libFuzzer does it, which sees what of the code an input reaches: that takes a nightly compiler
//! and `cargo install cargo-fuzz`. What it learns stays in the temporary folder.
//!
//! CI runs a fixed number of rounds from a fixed seed (the test below); this chore runs for as long as
//! one likes, from the same or another seed.

mod guided;
mod targets;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::Outcome;
use targets::{TARGETS, Target};
use words::WORDS;

/// The arguments of the chore.
#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// The targets; all where none is named
    target: Vec<String>,
    /// How long to run each
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Another seed gives other inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use libFuzzer (a nightly compiler and `cargo-fuzz` are needed)
    #[arg(long)]
    guided: bool,
}

/// The longest input that is tried.
const MAX_INPUT: usize = 64 << 10;
/// The most inputs that are kept beside the corpus.
const MAX_KEPT: usize = 2_000;
/// An input that takes longer makes the reader hang.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the targets.
pub(crate) fn run(args: &FuzzArgs) -> Outcome<()> {
    let is_asked = |target: &&Target| {
        args.target.is_empty() || args.target.iter().any(|name| name == target.name)
    };
    let chosen: Vec<&Target> = TARGETS.iter().filter(is_asked).collect();
    if chosen.is_empty() {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("there is no such target; there are {}", names.join(", ")).into());
    }
    if args.guided {
        return chosen.into_iter().try_for_each(|target| guided::run(target, args));
    }
    panic::set_hook(Box::new(|_| {}));
    for target in chosen {
        let end = Instant::now() + Duration::from_secs(args.seconds);
        let mut campaign = Campaign::new(target, args.seed);
        let watch = Watch::start();
        while Instant::now() < end {
            campaign.round(Some(&watch)).map_err(|finding| finding.told(target))?;
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

/// Where the corpus of a target is.
fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target.name)
}

/// A panic, with the input that leads to it.
struct Finding {
    input: Vec<u8>,
    message: String,
}

impl Finding {
    /// Writes the input next to the corpus' own and tells of it.
    fn told(self, target: &Target) -> String {
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
    target: &'static Target,
    pool: Vec<Vec<u8>>,
    corpus_size: usize,
    seen: BTreeSet<String>,
    dice: Dice,
    rounds: u64,
}

impl Campaign {
    fn new(target: &'static Target, seed: u64) -> Self {
        let mut files: Vec<PathBuf> = fs::read_dir(corpus(target))
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default();
        files.sort();
        let pool: Vec<Vec<u8>> = files.iter().filter_map(|path| fs::read(path).ok()).collect();
        let corpus_size = pool.len();
        Self { target, pool, corpus_size, seen: BTreeSet::new(), dice: Dice(seed), rounds: 0 }
    }

    fn kept(&self) -> usize {
        self.pool.len() - self.corpus_size
    }

    /// Tries one input: first those of the corpus as they are, then mutated ones.
    fn round(&mut self, watch: Option<&Watch>) -> Result<(), Finding> {
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
        let Self { pool, dice, .. } = self;
        let mut input = pool.get(dice.below(pool.len())).cloned().unwrap_or_default();
        for _ in 0..=dice.below(6) {
            let other = pool.get(dice.below(pool.len())).map(Vec::as_slice).unwrap_or_default();
            mutate(dice, &mut input, other);
        }
        input.truncate(MAX_INPUT);
        input
    }
}

/// Gives the input to the target; its answer, or the message of its panic.
fn attempt(target: &Target, input: &[u8], watch: Option<&Watch>) -> Result<String, Finding> {
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
        Finding { input: input.to_vec(), message: text.unwrap_or("it panicked").to_owned() }
    })
}

/// An answer without what differs from input to input: its words, not its numbers and quotations.
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

fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.below(40)).min(bytes.len());
    match dice.below(9) {
        0 | 1 => drop(bytes.splice(at..at, WORDS[dice.below(WORDS.len())].bytes())),
        2 => bytes.truncate(at),
        3 if at < bytes.len() => bytes[at] = dice.next() as u8,
        4 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        5 => drop(bytes.drain(at..end)),
        6 => {
            let copy = bytes[at..end].to_vec();
            let to = dice.below(bytes.len() + 1);
            drop(bytes.splice(to..to, copy));
        }
        7 => {
            // A word, or a piece, again and again: depth and length.
            let piece = bytes[at..(at + 1 + dice.below(8)).min(bytes.len())].to_vec();
            let repeated = piece.repeat(1 << dice.below(12));
            drop(bytes.splice(at..at, repeated));
        }
        _ => {
            let from = dice.below(other.len() + 1);
            let until = (from + dice.below(200)).min(other.len());
            drop(bytes.splice(at..end, other[from..until].iter().copied()));
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
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

/// When an input was given to the target, and which.
type Attempt = (Instant, Vec<u8>);

/// Ends the process when an input takes too long.
struct Watch {
    current: Arc<Mutex<Option<Attempt>>>,
}

impl Watch {
    fn start() -> Self {
        let current: Arc<Mutex<Option<Attempt>>> = Arc::default();
        let watched = Arc::clone(&current);
        thread::spawn(move || {
            while Arc::strong_count(&watched) > 1 {
                thread::sleep(Duration::from_millis(200));
                let slot = watched.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((since, input)) = slot.as_ref()
                    && since.elapsed() > PATIENCE
                {
                    let path = std::env::temp_dir().join(format!("hang-{:016x}", hash(input)));
                    let _ = fs::write(&path, input);
                    eprintln!("error: it hangs; the input is in {}", path.display());
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

    /// Enough to meet what is easy to meet; the chore does the rest.
    const ROUNDS: u64 = 400;

    #[test]
    fn no_mutated_input_breaks_a_reader() {
        for target in TARGETS {
            assert!(corpus(target).is_dir(), "{} has no corpus", target.name);
            let mut campaign = Campaign::new(target, 1);
            for _ in 0..ROUNDS {
                if let Err(finding) = campaign.round(None) {
                    panic!("{}", finding.told(target));
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
