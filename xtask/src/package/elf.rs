//! Reads the library versions that a Linux binary needs: the section `.gnu.version_r`.

/// A required version of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LibraryVersion {
    pub(super) library: String,
    pub(super) version: String,
}

/// The type of the section.
const VERSIONS_NEEDED: u32 = 0x6fff_fffe;

/// All required versions, in the file's order; none if it is not a 64-bit little-endian ELF file.
pub(super) fn needs(file: &[u8]) -> Option<Vec<LibraryVersion>> {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let sections = usize::try_from(u64_at(file, 0x28)?).ok()?;
    let (size, count) = (usize::from(u16_at(file, 0x3a)?), usize::from(u16_at(file, 0x3c)?));
    let header = |index: usize| file.get(sections.checked_add(index.checked_mul(size)?)?..);
    let mut found = Vec::new();
    for index in 0..count {
        let section = header(index)?;
        if u32_at(section, 4)? == VERSIONS_NEEDED {
            let names = content(file, header(u32_at(section, 0x28)? as usize)?)?;
            found.extend(in_section(content(file, section)?, names)?);
        }
    }
    Some(found)
}

fn content<'f>(file: &'f [u8], section: &[u8]) -> Option<&'f [u8]> {
    let start = usize::try_from(u64_at(section, 0x18)?).ok()?;
    let length = usize::try_from(u64_at(section, 0x20)?).ok()?;
    file.get(start..start.checked_add(length)?)
}

/// Reads two nested lists: libraries, and the versions of each. A link of zero ends a list; links
/// only lead forward.
fn in_section(section: &[u8], names: &[u8]) -> Option<Vec<LibraryVersion>> {
    let mut found = Vec::new();
    let mut library_at = 0;
    loop {
        let library = section.get(library_at..)?;
        let name = text_at(names, u32_at(library, 4)?)?;
        let mut version_at = library_at + u32_at(library, 8)? as usize;
        for _ in 0..u16_at(library, 2)? {
            let version = section.get(version_at..)?;
            let text = text_at(names, u32_at(version, 8)?)?;
            found.push(LibraryVersion { library: name.clone(), version: text });
            version_at += u32_at(version, 12)? as usize;
        }
        match u32_at(library, 12)? as usize {
            0 => return Some(found),
            next => library_at += next,
        }
    }
}

fn text_at(names: &[u8], at: u32) -> Option<String> {
    let text = names.get(at as usize..)?.split(|byte| *byte == 0).next()?;
    String::from_utf8(text.to_vec()).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn other_files_are_not_parsed_as_elf() {
        for bytes in [b"".as_slice(), b"\x7fELF", b"\x7fELF\x02\x01\x01", b"#!/bin/sh\n"] {
            assert_eq!(super::needs(bytes), None);
        }
    }

    /// This test is such a binary itself.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    fn a_binary_of_this_machine_needs_its_c_library() {
        let this = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let needs = super::needs(&this).unwrap();
        assert!(
            needs
                .iter()
                .any(|need| need.library == "libc.so.6" && need.version.starts_with("GLIBC_2.")),
            "{needs:?}"
        );
    }
}
