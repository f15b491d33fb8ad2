//! Writes the compressed tables of `o200k_base`: for the vocabulary, the length and then the bytes of every
//! token in order of rank; for the character classes, runs of code points.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

/// Strong compression: the build pays once, and every download is smaller.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let write = |name: &str, table: &[u8]| {
        fs::write(folder.join(name), miniz_oxide::deflate::compress_to_vec(table, LEVEL))
    };
    write("o200k.deflate", &vocabulary()?)?;
    write("classes.deflate", &classes()?)?;
    Ok(())
}

fn vocabulary() -> Result<Vec<u8>, Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base_singleton();
    let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
    for rank in 0.. {
        // After the tokens of text comes a gap, then those of conversations.
        let Ok(token) = encoding.decode_bytes(&[rank]) else { break };
        lengths.push(u8::try_from(token.len())?);
        bytes.extend(token);
    }
    let count = u32::try_from(lengths.len())?;
    let mut table = count.to_le_bytes().to_vec();
    table.extend(lengths);
    table.extend(bytes);
    Ok(table)
}

/// The pattern of each class, by its number in `src/classes.rs`. A later pattern overrides an earlier one.
const CLASSES: [(&str, u8); 8] = [
    (r"\p{Lu}", 1),
    (r"\p{Lt}", 1),
    (r"\p{Ll}", 2),
    (r"\p{Lm}", 3),
    (r"\p{Lo}", 3),
    (r"\p{M}", 4),
    (r"\p{N}", 5),
    (r"\s", 6),
];

/// Runs of code points: a class and the length of its run, from the first code point to the last.
fn classes() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut of = vec![0u8; char::MAX as usize + 1];
    for (pattern, class) in CLASSES {
        for (start, end) in ranges(pattern)? {
            of[start as usize..=end as usize].fill(class);
        }
    }
    let mut runs = Vec::new();
    for run in of.chunk_by(|a, b| a == b) {
        runs.push(run[0]);
        runs.extend(u32::try_from(run.len())?.to_le_bytes());
    }
    Ok(runs)
}

/// The code points of a regular expression's character class.
fn ranges(pattern: &str) -> Result<Vec<(u32, u32)>, Box<dyn Error>> {
    use regex_syntax::hir::{Class, HirKind};
    match regex_syntax::parse(pattern)?.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let range = |it: &regex_syntax::hir::ClassUnicodeRange| {
                (u32::from(it.start()), u32::from(it.end()))
            };
            Ok(class.iter().map(range).collect())
        }
        _ => Err(format!("`{pattern}` is no class").into()),
    }
}
