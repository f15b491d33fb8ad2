//! Writes the vocabulary of `o200k_base` for the library: every token's length, then every token's bytes,
//! in the order of their ranks, compressed.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

/// Strong compression: it is done once, and what is packed is shipped.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let encoding = tiktoken_rs::o200k_base_singleton();
    let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
    for rank in 0.. {
        // Behind the tokens of texts there is a gap, then those of conversations.
        let Ok(token) = encoding.decode_bytes(&[rank]) else { break };
        lengths.push(u8::try_from(token.len())?);
        bytes.extend(token);
    }
    let count = u32::try_from(lengths.len())?;
    let mut table = count.to_le_bytes().to_vec();
    table.extend(lengths);
    table.extend(bytes);
    let packed = miniz_oxide::deflate::compress_to_vec(&table, LEVEL);
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(folder.join("o200k.deflate"), packed)?;
    Ok(())
}
