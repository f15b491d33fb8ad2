//! Builds the archive for everybody: one folder with the binary, completions, manual pages, the git
//! hook and licences. `cargo binstall` finds the binary in it through
//! `crates/portolan-cli/Cargo.toml`.

use crate::ChoreResult;
use crate::package::BuiltPackage;
use crate::package::archives::{ArchiveMember, gzip, tar, zip};
use crate::package::content::PackageContent;

/// A tar.gz; for Windows a zip.
pub(super) fn package(content: &PackageContent, level: u8) -> ChoreResult<BuiltPackage> {
    let platform = content.platform;
    let stem = format!("portolan-{}-{}", content.about.version, platform.target);
    let mut members = vec![ArchiveMember::executable(
        format!("{stem}/{}", platform.binary()),
        content.binary.clone(),
    )];
    for completion in &content.completions {
        let path = format!("{stem}/completions/{}", completion.file);
        members.push(ArchiveMember::text(path, completion.text.clone()));
    }
    for (name, page) in &content.pages {
        members.push(ArchiveMember::text(format!("{stem}/man/man1/{name}"), page.clone()));
    }
    members
        .push(ArchiveMember::executable(format!("{stem}/hooks/pre-commit"), content.hook.clone()));
    members.push(ArchiveMember::text(format!("{stem}/README.md"), content.readme.clone()));
    members.push(ArchiveMember::text(format!("{stem}/CHANGELOG.md"), content.changes.clone()));
    members.extend(content.licences_below(&format!("{stem}/")));
    Ok(if platform.os == "win32" {
        BuiltPackage { name: format!("{stem}.zip"), bytes: zip(&members, level)? }
    } else {
        BuiltPackage { name: format!("{stem}.tar.gz"), bytes: gzip(&tar(&members)?, level) }
    })
}
