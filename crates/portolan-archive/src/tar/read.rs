//! Reads an archive back: the names and bytes of its files, from ustar with PAX names, as we write it. A
//! truncated or foreign file gives an error, never a panic.

use super::BLOCK;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TarMember<'a> {
    /// Its path.
    pub path: String,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Why bytes are not an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TarError {
    /// It ends in the middle of a member.
    #[error("the archive is truncated")]
    Short,
    /// It is not a tar archive.
    #[error("this is not a tar archive")]
    NotTar,
}

/// The files of an archive, in order. Skips folders and links.
pub fn read(bytes: &[u8]) -> Result<Vec<TarMember<'_>>, TarError> {
    let mut members = Vec::new();
    let mut long_name = None;
    let mut rest = bytes;
    loop {
        let (header, tail) = rest.split_at_checked(BLOCK).ok_or(TarError::Short)?;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(members);
        }
        if field(header, 257, 5) != b"ustar" {
            return Err(TarError::NotTar);
        }
        let size = octal(field(header, 124, 12)).ok_or(TarError::NotTar)?;
        let padded = size.checked_next_multiple_of(BLOCK).ok_or(TarError::Short)?;
        let (content, next) = tail.split_at_checked(padded).ok_or(TarError::Short)?;
        let content = content.get(..size).ok_or(TarError::Short)?;
        match field(header, 156, 1) {
            b"x" => long_name = pax_path(content),
            b"0" | b"\0" => {
                let path = long_name.take().unwrap_or_else(|| header_path(header));
                members.push(TarMember { path, bytes: content });
            }
            _ => long_name = None,
        }
        rest = next;
    }
}

fn field(header: &[u8], at: usize, length: usize) -> &[u8] {
    header.get(at..at + length).unwrap_or_default()
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn octal(field: &[u8]) -> Option<usize> {
    let digits = text(field);
    usize::from_str_radix(digits.trim(), 8).ok()
}

fn header_path(header: &[u8]) -> String {
    let (prefix, name) = (text(field(header, 345, 155)), text(field(header, 0, 100)));
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// The value of the record `<length> path=<value>\n`.
fn pax_path(mut records: &[u8]) -> Option<String> {
    while !records.is_empty() {
        let space = records.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
        let record = records.get(space + 1..length.checked_sub(1)?)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            return String::from_utf8(path.to_vec()).ok();
        }
        records = records.get(length..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::TarWriter;
    use super::{TarError, read};

    fn write(members: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut writer = TarWriter::new(Vec::new());
        for (path, bytes) in members {
            writer.append(path, false, bytes).unwrap();
        }
        writer.finish().unwrap().0
    }

    #[test]
    fn other_bytes_are_rejected() {
        assert_eq!(read(b""), Err(TarError::Short));
        assert_eq!(read(&[7; 1024]), Err(TarError::NotTar));
        let whole = write(&[("a".to_owned(), vec![1; 600])]);
        assert_eq!(read(&whole[..1000]), Err(TarError::Short));
    }

    proptest! {
        #[test]
        fn reads_what_was_written(members in proptest::collection::vec(
            ("[a-zé日]{1,90}(/[a-zé]{1,90}){0,4}", proptest::collection::vec(any::<u8>(), 0..1500)), 0..6)) {
            let bytes = write(&members);
            let found: Vec<_> = read(&bytes).unwrap().into_iter()
                .map(|member| (member.path, member.bytes.to_vec())).collect();
            prop_assert_eq!(found, members);
        }

        #[test]
        fn no_bytes_crash_it(mut bytes in proptest::collection::vec(any::<u8>(), 0..3000), is_tar: bool) {
            if is_tar && bytes.len() > 262 {
                bytes[257..262].copy_from_slice(b"ustar");
            }
            let _ = read(&bytes);
        }
    }
}
