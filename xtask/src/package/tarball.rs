//! The archive for everybody: one folder with the binary, completions, manual pages, the hook for git and licences. `cargo binstall`
//! finds the binary in it by what `crates/portolan-cli/Cargo.toml` says.

use crate::Outcome;
use crate::package::Package;
use crate::package::archives::{Member, gzip, tar, zip};
use crate::package::content::Content;

/// A tar.gz; of Windows a zip.
pub(super) fn package(content: &Content, level: u8) -> Outcome<Package> {
    let platform = content.platform;
    let stem = format!("portolan-{}-{}", content.about.version, platform.target);
    let mut members =
        vec![Member::executable(format!("{stem}/{}", platform.binary()), content.binary.clone())];
    for completion in &content.completions {
        let path = format!("{stem}/completions/{}", completion.file);
        members.push(Member::text(path, completion.text.clone()));
    }
    for (name, page) in &content.pages {
        members.push(Member::text(format!("{stem}/man/man1/{name}"), page.clone()));
    }
    members.push(Member::executable(format!("{stem}/hooks/pre-commit"), content.hook.clone()));
    members.push(Member::text(format!("{stem}/README.md"), content.readme.clone()));
    members.push(Member::text(format!("{stem}/CHANGELOG.md"), content.changes.clone()));
    members.extend(content.licences_below(&format!("{stem}/")));
    Ok(if platform.os == "win32" {
        Package { name: format!("{stem}.zip"), bytes: zip(&members, level)? }
    } else {
        Package { name: format!("{stem}.tar.gz"), bytes: gzip(&tar(&members)?, level) }
    })
}
