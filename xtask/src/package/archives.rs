//! Writes tar, gzip, zip and ar archives that depend on their content only.

use std::collections::BTreeSet;

use miniz_oxide::deflate::compress_to_vec;
use tar::{Builder, EntryType, Header};

use crate::ChoreResult;

/// 26 October 1985, 08:15 UTC, as npm writes it: some readers distrust the year 1970, and zip
/// starts in 1980.
const TIME: u64 = 499_162_500;
/// The same day in zip's format: 7 bits for the year since 1980, 4 for the month, 5 for the day.
const DOS_DATE: u16 = (5 << 9) + (10 << 5) + 26;

/// A file in an archive.
#[derive(Clone, Debug)]
pub(super) struct ArchiveMember {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) is_executable: bool,
}

impl ArchiveMember {
    pub(super) fn text(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), is_executable: false }
    }

    pub(super) fn executable(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), is_executable: true }
    }

    fn mode(&self) -> u32 {
        if self.is_executable { 0o755 } else { 0o644 }
    }
}

/// A tar of the members in the given order.
pub(super) fn tar(members: &[ArchiveMember]) -> ChoreResult<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    for member in members {
        add(&mut builder, EntryType::Regular, &member.path, member.mode(), &member.bytes)?;
    }
    Ok(builder.into_inner()?)
}

/// A tar in which every folder precedes its contents, all below `./`, as dpkg expects.
pub(super) fn tar_with_folders(members: &[ArchiveMember]) -> ChoreResult<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    add(&mut builder, EntryType::Directory, "./", 0o755, &[])?;
    for member in members {
        for (at, _) in member.path.match_indices('/') {
            if folders.insert(&member.path[..at]) {
                let path = format!("./{}/", &member.path[..at]);
                add(&mut builder, EntryType::Directory, &path, 0o755, &[])?;
            }
        }
        let path = format!("./{}", member.path);
        add(&mut builder, EntryType::Regular, &path, member.mode(), &member.bytes)?;
    }
    Ok(builder.into_inner()?)
}

fn add(
    builder: &mut Builder<Vec<u8>>,
    kind: EntryType,
    path: &str,
    mode: u32,
    bytes: &[u8],
) -> ChoreResult<()> {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(TIME);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(bytes.len() as u64);
    // Not `set_path`: it removes the `./`.
    let name = header.as_ustar_mut().ok_or("no tar header")?;
    let slot = name.name.get_mut(..path.len()).ok_or_else(|| format!("too long: {path}"))?;
    slot.copy_from_slice(path.as_bytes());
    header.set_cksum();
    builder.append(&header, bytes)?;
    Ok(())
}

/// A gzip file without a name and a time.
pub(super) fn gzip(bytes: &[u8], level: u8) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(compress_to_vec(bytes, level));
    out.extend(crc32(bytes).to_le_bytes());
    // Gzip stores the length modulo 2³².
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

/// A zip file: every member deflated, with its mode.
pub(super) fn zip(members: &[ArchiveMember], level: u8) -> ChoreResult<Vec<u8>> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        let packed = compress_to_vec(&member.bytes, level);
        let at = u32::try_from(out.len())?;
        let mut common = Vec::new();
        // Version 2.0, names in UTF-8, deflated.
        for value in [20, 0x0800, 8, 0, DOS_DATE] {
            common.extend(value.to_le_bytes());
        }
        common.extend(crc32(&member.bytes).to_le_bytes());
        common.extend(u32::try_from(packed.len())?.to_le_bytes());
        common.extend(u32::try_from(member.bytes.len())?.to_le_bytes());
        common.extend(u16::try_from(member.path.len())?.to_le_bytes());
        common.extend(0u16.to_le_bytes());

        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(member.path.as_bytes());
        out.extend(packed);

        directory.extend(b"PK\x01\x02");
        // Made by version 2.0 on Unix, so that the mode below is valid.
        directory.extend(((3u16 << 8) + 20).to_le_bytes());
        directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | member.mode()) << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(member.path.as_bytes());
    }
    let (count, at) = (u16::try_from(members.len())?, u32::try_from(out.len())?);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(u32::try_from(directory.len())?.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    Ok(out)
}

/// An `ar` archive, the format of Debian packages.
pub(super) fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let head =
            format!("{name:<16}{TIME:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 100_644, bytes.len());
        out.extend(head.as_bytes());
        out.extend(*bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

/// The checksum of gzip and zip.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |crc: u32, byte| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)])
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{ArchiveMember, ar, crc32, gzip, tar_with_folders, zip};

    #[test]
    fn crc32_matches_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn folders_precede_their_contents_and_appear_once() {
        let members = [ArchiveMember::text("a/b/c", "1"), ArchiveMember::executable("a/d", "2")];
        let bytes = tar_with_folders(&members).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let entries = archive.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            let header = entry.header();
            let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
            format!("{name} {:o}", header.mode().unwrap())
        });
        let wanted = ["./ 755", "./a/ 755", "./a/b/ 755", "./a/b/c 644", "./a/d 755"];
        assert_eq!(entries.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn ar_members_start_at_even_offsets() {
        let bytes = ar(&[("a", b"1"), ("b", b"22")]);
        assert_eq!(bytes.len(), 8 + 60 + 2 + 60 + 2);
        assert_eq!(bytes[8 + 60 + 1], b'\n');
    }

    #[test]
    fn the_same_members_give_the_same_bytes() {
        let members = [ArchiveMember::text("a", "x".repeat(1000))];
        assert_eq!(zip(&members, 9).unwrap(), zip(&members, 9).unwrap());
        assert_eq!(gzip(b"abc", 9)[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    }
}
