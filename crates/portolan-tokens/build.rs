//! Writes the tables of `o200k_base` as the program uses them: the vocabulary (`src/vocabulary.rs` has the layout), and the
//! class of every code point.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

#[path = "src/slots.rs"]
mod slots;

use slots::{FREE, SLOTS, pair_of, slot_of};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/slots.rs");
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let vocabulary = Vocabulary::new()?;
    fs::write(folder.join("bytes.bin"), &vocabulary.bytes)?;
    fs::write(folder.join("starts.bin"), little_endian(&vocabulary.starts))?;
    fs::write(folder.join("slots.bin"), little_endian(&vocabulary.slots))?;
    fs::write(folder.join("pairs.bin"), little_endian(&vocabulary.pairs))?;
    fs::write(folder.join("classes.bin"), classes()?)?;
    Ok(())
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

struct Vocabulary {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    slots: Vec<u32>,
    pairs: Vec<u32>,
}

impl Vocabulary {
    fn new() -> Result<Self, Box<dyn Error>> {
        let encoding = tiktoken_rs::o200k_base_singleton();
        let (bytes, starts) = (Vec::new(), vec![0]);
        let (slots, pairs) = (vec![FREE; SLOTS], vec![FREE; 1 << 16]);
        let mut vocabulary = Self { bytes, starts, slots, pairs };
        for rank in 0.. {
            // After the tokens of text comes a gap, then those of conversations.
            let Ok(token) = encoding.decode_bytes(&[rank]) else { break };
            vocabulary.push(rank, &token)?;
        }
        Ok(vocabulary)
    }

    fn push(&mut self, rank: u32, token: &[u8]) -> Result<(), Box<dyn Error>> {
        if let [first, second] = *token {
            self.pairs[pair_of([first, second])] = rank;
        }
        let mut slot = slot_of(token);
        while self.slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = rank;
        self.bytes.extend(token);
        self.starts.push(u32::try_from(self.bytes.len())?);
        Ok(())
    }
}

/// The pattern of each class, by its number in `src/classes.rs`. A later pattern overrides an earlier one.
const CLASSES: [(&str, u8); 9] = [
    (r"\p{Lu}", 1),
    (r"\p{Lt}", 1),
    (r"\p{Ll}", 2),
    (r"\p{Lm}", 3),
    (r"\p{Lo}", 3),
    (r"\p{M}", 4),
    (r"\p{N}", 5),
    (r"\s", 6),
    (r"[\r\n]", 7),
];

/// The class of every code point, a byte each.
fn classes() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut of = vec![0u8; char::MAX as usize + 1];
    for (pattern, class) in CLASSES {
        for (start, end) in ranges(pattern)? {
            of[start as usize..=end as usize].fill(class);
        }
    }
    Ok(of)
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
