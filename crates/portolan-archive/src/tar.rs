//! Writes reproducible tar archives: the same members give the same bytes on every machine.
//!
//! POSIX ustar, uncompressed: time 0, owner 0, no names, modes 644 or 755. A path that does not fit into
//! the header, or is not ASCII, gets a PAX record before it. The caller chooses and sorts the members. There
//! are no folders, links or devices.

mod read;

use std::io::{self, Write};

pub use read::{TarError, TarMember, read};

const BLOCK: usize = 512;
/// The sizes of the name fields of a header.
const NAME: usize = 100;
const PREFIX: usize = 155;
/// The largest size that fits in eleven octal digits.
const MAX_OCTAL_SIZE: u64 = 0o777_7777_7777;

/// Writes an archive, member by member.
#[derive(Debug)]
pub struct TarWriter<W> {
    out: W,
    written: u64,
}

impl<W: Write> TarWriter<W> {
    /// Starts an archive.
    pub fn new(out: W) -> Self {
        Self { out, written: 0 }
    }

    /// Adds a file.
    pub fn append(&mut self, path: &str, executable: bool, bytes: &[u8]) -> io::Result<()> {
        let size = bytes.len() as u64;
        let name = match HeaderName::of(path) {
            Some(name) if size <= MAX_OCTAL_SIZE => name,
            _ => {
                self.append_pax(path, size)?;
                HeaderName::fallback(path)
            }
        };
        let mode = if executable { 0o755 } else { 0o644 };
        self.put(&header(&name, b'0', mode, size.min(MAX_OCTAL_SIZE)))?;
        self.put_padded(bytes)
    }

    /// Ends the archive. Returns the writer and the number of bytes written.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        self.put(&[0; 2 * BLOCK])?;
        self.out.flush()?;
        Ok((self.out, self.written))
    }

    fn append_pax(&mut self, path: &str, size: u64) -> io::Result<()> {
        let mut records = pax_record("path", path);
        if size > MAX_OCTAL_SIZE {
            records += &pax_record("size", &size.to_string());
        }
        let name = HeaderName::fallback(&format!("PaxHeader/{path}"));
        self.put(&header(&name, b'x', 0o644, records.len() as u64))?;
        self.put_padded(records.as_bytes())
    }

    fn put_padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(bytes)?;
        let padding = bytes.len().next_multiple_of(BLOCK) - bytes.len();
        self.put(&[0; BLOCK][..padding])
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// The size of a member in the archive, so that a plan knows an archive's size without writing it.
pub fn entry_size(path: &str, size: u64) -> u64 {
    let block = BLOCK as u64;
    let pax = match HeaderName::of(path) {
        Some(_) if size <= MAX_OCTAL_SIZE => 0,
        _ => {
            let with_size =
                if size > MAX_OCTAL_SIZE { pax_record("size", &size.to_string()).len() } else { 0 };
            block + ((pax_record("path", path).len() + with_size) as u64).next_multiple_of(block)
        }
    };
    pax + block + size.next_multiple_of(block)
}

/// The size of the end of an archive.
pub const END_SIZE: u64 = 2 * BLOCK as u64;

/// A path in a header: in one field, or split at a slash into two.
struct HeaderName<'a> {
    prefix: &'a [u8],
    name: Vec<u8>,
}

impl<'a> HeaderName<'a> {
    fn of(path: &'a str) -> Option<Self> {
        if !path.is_ascii() {
            return None;
        }
        if path.len() <= NAME {
            return Some(Self { prefix: b"", name: path.as_bytes().to_vec() });
        }
        let cuts = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
        let (prefix, name) = cuts.into_iter().find(|(prefix, name)| {
            prefix.len() <= PREFIX && !prefix.is_empty() && name.len() <= NAME && !name.is_empty()
        })?;
        Some(Self { prefix: prefix.as_bytes(), name: name.as_bytes().to_vec() })
    }

    /// The name for readers without PAX: the path with non-ASCII replaced, cut to length.
    fn fallback(path: &str) -> Self {
        let ascii = path.chars().map(|c| if c.is_ascii() { c as u8 } else { b'_' });
        Self { prefix: b"", name: ascii.take(NAME).collect() }
    }
}

fn header(name: &HeaderName<'_>, kind: u8, mode: u32, size: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..name.name.len()].copy_from_slice(&name.name);
    block[100..107].copy_from_slice(format!("{mode:07o}").as_bytes());
    block[108..115].copy_from_slice(b"0000000");
    block[116..123].copy_from_slice(b"0000000");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[136..147].copy_from_slice(b"00000000000");
    // The checksum is computed with its own field full of spaces.
    block[148..156].copy_from_slice(b"        ");
    block[156] = kind;
    block[257..263].copy_from_slice(b"ustar\0");
    block[263..265].copy_from_slice(b"00");
    block[329..336].copy_from_slice(b"0000000");
    block[337..344].copy_from_slice(b"0000000");
    block[345..345 + name.prefix.len()].copy_from_slice(name.prefix);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// `<length> <key>=<value>\n`, where the length includes its own digits.
fn pax_record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    format!("{length} {key}={value}\n")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::{END_SIZE, TarWriter, entry_size, pax_record};

    type TestMember = (String, bool, Vec<u8>);

    fn write(members: &[TestMember]) -> Vec<u8> {
        let mut writer = TarWriter::new(Vec::new());
        for (path, executable, bytes) in members {
            writer.append(path, *executable, bytes).unwrap();
        }
        let (out, written) = writer.finish().unwrap();
        assert_eq!(out.len() as u64, written);
        out
    }

    fn read(bytes: &[u8]) -> Vec<TestMember> {
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let header = entry.header();
            assert_eq!(
                (header.mtime().unwrap(), header.uid().unwrap(), header.gid().unwrap()),
                (0, 0, 0)
            );
            assert!(header.as_ustar().is_some());
            let executable = header.mode().unwrap() == 0o755;
            (String::from_utf8(entry.path_bytes().into_owned()).unwrap(), executable, content)
        });
        entries.collect()
    }

    #[track_caller]
    fn check_round_trip(members: &[TestMember]) {
        let bytes = write(members);
        assert_eq!(read(&bytes), members);
        let planned: u64 =
            members.iter().map(|(path, _, content)| entry_size(path, content.len() as u64)).sum();
        assert_eq!(bytes.len() as u64, planned + END_SIZE);
    }

    #[test]
    fn long_and_unusual_names_survive() {
        let long = |lengths: &[usize]| {
            lengths.iter().map(|n| "d".repeat(*n)).collect::<Vec<_>>().join("/")
        };
        let names = [
            "a.txt".to_owned(),
            "@types/x.d.ts".to_owned(),
            "with space/été-日本.txt".to_owned(),
            "new\nline".to_owned(),
            long(&[100]),
            long(&[101]),
            long(&[60, 60]),
            long(&[155, 100]),
            long(&[156, 100]),
            long(&[120, 120, 40]),
            long(&[255, 255, 255, 255]),
            "é".repeat(200),
        ];
        check_round_trip(&names.map(|name| (name, false, b"x".to_vec())));
    }

    #[test]
    fn modes_and_block_boundaries_survive() {
        for size in [0, 1, 511, 512, 513, 1024] {
            check_round_trip(&[
                ("a".to_owned(), true, vec![7; size]),
                ("b".to_owned(), false, Vec::new()),
            ]);
        }
    }

    #[test]
    fn an_empty_archive_is_two_zero_blocks() {
        assert_eq!(write(&[]), [0; 1024]);
    }

    #[test]
    fn a_pax_record_counts_its_own_digits() {
        assert_eq!(pax_record("path", "x"), "9 path=x\n");
        for length in 0..2000 {
            let record = pax_record("path", &"v".repeat(length));
            let (number, _) = record.split_once(' ').unwrap();
            assert_eq!(number.parse::<usize>().unwrap(), record.len());
        }
    }

    proptest! {
        #[test]
        fn any_members_survive(members in proptest::collection::vec(
            ("[a-zé日]{1,90}(/[a-zé]{1,90}){0,4}", any::<bool>(), proptest::collection::vec(any::<u8>(), 0..1500)), 0..6)) {
            check_round_trip(&members);
        }
    }
}
