//! The platforms that packages are made for, and their names in each ecosystem.

use crate::ChoreResult;
use crate::package::elf::{self, LibraryVersion};

/// One row: the compiler's target, and its other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Platform {
    pub(super) target: &'static str,
    /// The suffix of the npm package's name; the launcher builds it the same way.
    pub(super) npm: &'static str,
    /// Node's names for the system and the processor.
    pub(super) os: &'static str,
    pub(super) cpu: &'static str,
    pub(super) libc: Option<&'static str>,
    /// The tag of a wheel; the glibc version is read from the binary.
    pub(super) wheel: &'static str,
    pub(super) deb: Option<&'static str>,
}

pub(super) const PLATFORMS: [Platform; 8] = [
    linux("x86_64-unknown-linux-gnu", "linux-x64-gnu", "x64", "glibc", "x86_64", "amd64"),
    linux("aarch64-unknown-linux-gnu", "linux-arm64-gnu", "arm64", "glibc", "aarch64", "arm64"),
    linux(
        "x86_64-unknown-linux-musl",
        "linux-x64-musl",
        "x64",
        "musl",
        "musllinux_1_2_x86_64",
        "amd64",
    ),
    linux(
        "aarch64-unknown-linux-musl",
        "linux-arm64-musl",
        "arm64",
        "musl",
        "musllinux_1_2_aarch64",
        "arm64",
    ),
    other("x86_64-apple-darwin", "darwin-x64", "darwin", "x64", "macosx_10_12_x86_64"),
    other("aarch64-apple-darwin", "darwin-arm64", "darwin", "arm64", "macosx_11_0_arm64"),
    other("x86_64-pc-windows-msvc", "win32-x64", "win32", "x64", "win_amd64"),
    other("aarch64-pc-windows-msvc", "win32-arm64", "win32", "arm64", "win_arm64"),
];

const fn linux(
    target: &'static str,
    npm: &'static str,
    cpu: &'static str,
    libc: &'static str,
    wheel: &'static str,
    deb: &'static str,
) -> Platform {
    Platform { target, npm, os: "linux", cpu, libc: Some(libc), wheel, deb: Some(deb) }
}

const fn other(
    target: &'static str,
    npm: &'static str,
    os: &'static str,
    cpu: &'static str,
    wheel: &'static str,
) -> Platform {
    Platform { target, npm, os, cpu, libc: None, wheel, deb: None }
}

/// The libraries that the manylinux standard permits: the C library and its companions.
const LIBRARIES: [&str; 7] = [
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "ld-linux",
];

impl Platform {
    /// The platform of a target.
    pub(super) fn of(target: &str) -> ChoreResult<Self> {
        let found = PLATFORMS.into_iter().find(|platform| platform.target == target);
        found.ok_or_else(|| format!("no packages are made for `{target}`").into())
    }

    /// The file name of the binary.
    pub(super) fn binary(self) -> &'static str {
        if self.os == "win32" { "portolan.exe" } else { "portolan" }
    }

    /// The tag of a wheel with this binary: the oldest glibc that has everything it needs.
    pub(super) fn wheel_tag(self, binary: &[u8]) -> ChoreResult<String> {
        if self.libc != Some("glibc") {
            return Ok(self.wheel.to_owned());
        }
        let needs = elf::needs(binary).ok_or("the binary is not a readable ELF file")?;
        if let Some(need) = needs.iter().find(|need| !is_everywhere(&need.library)) {
            return Err(format!(
                "the binary needs {}, which manylinux does not have",
                need.library
            )
            .into());
        }
        let (major, minor) = glibc(&needs).ok_or("the binary names no version of glibc")?;
        Ok(format!("manylinux_{major}_{minor}_{}", self.wheel))
    }

    /// The dependencies of a Debian package with this binary.
    pub(super) fn deb_depends(self, binary: &[u8]) -> ChoreResult<String> {
        if self.libc != Some("glibc") {
            return Ok(String::new());
        }
        let needs = elf::needs(binary).ok_or("the binary is not a readable ELF file")?;
        let (major, minor) = glibc(&needs).ok_or("the binary names no version of glibc")?;
        let needs_gcc = needs.iter().any(|need| need.library == "libgcc_s.so.1");
        let gcc = if needs_gcc { ", libgcc-s1" } else { "" };
        Ok(format!("libc6 (>= {major}.{minor}){gcc}"))
    }
}

fn is_everywhere(library: &str) -> bool {
    LIBRARIES.iter().any(|known| library.starts_with(known))
}

/// The newest version of glibc among the needs.
fn glibc(needs: &[LibraryVersion]) -> Option<(u32, u32)> {
    let version = |need: &LibraryVersion| {
        let mut numbers = need.version.strip_prefix("GLIBC_")?.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    needs.iter().filter_map(version).max()
}

#[cfg(test)]
mod tests {
    use super::{LibraryVersion, PLATFORMS, glibc};

    #[test]
    fn the_release_workflow_makes_packages_for_every_platform() {
        let path = crate::programs::repository().join(".github/workflows/release.yml");
        let text = std::fs::read_to_string(path).unwrap();
        for platform in PLATFORMS {
            assert!(text.contains(&format!("target: {},", platform.target)), "{platform:?}");
        }
    }

    #[test]
    fn glibc_versions_are_compared_as_numbers() {
        let need =
            |version: &str| LibraryVersion { library: "libc.so.6".into(), version: version.into() };
        let needs = ["GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.3.4", "GCC_3.0"].map(need);
        assert_eq!(glibc(&needs), Some((2, 34)));
        assert_eq!(glibc(&[need("GCC_3.0")]), None);
    }
}
