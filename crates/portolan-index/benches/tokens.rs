//! Token counting against another crate over the same texts, in the same run.
//!
//! `cargo bench -p portolan-index --bench tokens -- FOLDER` counts the text files below a folder;
//! without one, a generated text. Fails where the two do not agree on a file.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::cast_precision_loss, reason = "figures with one digit")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its input and measures time")]

use std::path::Path;
use std::time::{Duration, Instant};

use portolan_index::token_counts::{MemoryTokenStore, TokenSource, Tokenizer, count_all};
use portolan_types::Sha256Digest;

const ROUNDS: u32 = 3;

struct Text(String);

impl TokenSource for Text {
    fn digest(&self) -> Option<Sha256Digest> {
        None
    }

    fn read(&self) -> Option<Vec<u8>> {
        Some(self.0.clone().into_bytes())
    }
}

/// The text files below a folder, in the order of their paths.
fn texts(folder: &Path) -> Vec<Text> {
    let mut waiting = vec![folder.to_path_buf()];
    let mut paths = Vec::new();
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => {
                    waiting.push(entry.path());
                }
                Ok(kind) if kind.is_file() => paths.push(entry.path()),
                _ => {}
            }
        }
    }
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).map(Text).collect()
}

/// Code-like text where no folder is given.
fn generated() -> Vec<Text> {
    let line = |n: usize| {
        format!(
            "export const value{n} = compute(value{}, {{ depth: {n}, label: 'item {n}' }});\n",
            n / 2
        )
    };
    (0..200).map(|file| Text((file * 1000..file * 1000 + 1000).map(line).collect())).collect()
}

fn best(mut call: impl FnMut() -> u64) -> (Duration, u64) {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let count = call();
            (start.elapsed(), count)
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let texts = folder.map_or_else(generated, |folder| texts(Path::new(&folder)));
    let bytes: usize = texts.iter().map(|text| text.0.len()).sum();
    println!("{} texts, {:.1} MB", texts.len(), bytes as f64 / 1e6);

    let start = Instant::now();
    Tokenizer::O200kBase.count(b"warm up");
    println!("ours: ready after {:.0?}", start.elapsed());
    let start = Instant::now();
    let other = tiktoken_rs::o200k_base_singleton();
    println!("tiktoken-rs: ready after {:.0?}", start.elapsed());

    for text in &texts {
        let ours = Tokenizer::O200kBase.count(text.0.as_bytes());
        let theirs = other.encode_ordinary(&text.0).len() as u64;
        assert_eq!(
            ours,
            Some(theirs),
            "the two disagree on {:?}",
            text.0.chars().take(80).collect::<String>()
        );
    }
    println!("both agree on every text");

    let say = |label: &str, (time, count): (Duration, u64)| {
        println!(
            "{label}: {:.1} MB/s ({count} tokens in {time:.0?})",
            bytes as f64 / 1e6 / time.as_secs_f64()
        );
    };
    let count = |text: &Text| Tokenizer::O200kBase.count(text.0.as_bytes()).unwrap_or(0);
    say("ours, one thread", best(|| texts.iter().map(count).sum()));
    say(
        "tiktoken-rs, one thread",
        best(|| texts.iter().map(|text| other.encode_ordinary(&text.0).len() as u64).sum()),
    );
    say(
        "count_all (ours, all threads, with hashing)",
        best(|| {
            count_all(Tokenizer::O200kBase, &MemoryTokenStore::default(), &texts)
                .into_iter()
                .flatten()
                .sum()
        }),
    );
}
