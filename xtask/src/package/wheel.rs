//! Builds a Python wheel that carries the binary as a script, like `maturin` with `bindings =
//! "bin"`.

use data_encoding::BASE64URL_NOPAD;
use portolan_vfs::sha256;
use std::fmt::Write as _;

use crate::ChoreResult;
use crate::package::BuiltPackage;
use crate::package::archives::{ArchiveMember, zip};
use crate::package::content::PackageContent;

/// Builds the wheel, for every Python 3 of the platform.
pub(super) fn package(content: &PackageContent, level: u8) -> ChoreResult<BuiltPackage> {
    let about = &content.about;
    // The name in its file name form.
    let stem = format!("{}-{}", about.pypi.replace(['-', '.'], "_"), about.version);
    let tag = format!("py3-none-{}", content.platform.wheel_tag(&content.binary)?);
    let info = format!("{stem}.dist-info");
    let script = format!("{stem}.data/scripts/{}", content.platform.binary());
    let mut members = vec![ArchiveMember::executable(script, content.binary.clone())];
    members.extend(content.licences_below(&format!("{info}/licenses/")));
    members.push(ArchiveMember::text(format!("{info}/METADATA"), metadata(content)));
    members.push(ArchiveMember::text(
        format!("{info}/WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: portolan-xtask {}\nRoot-Is-Purelib: false\nTag: {tag}\n", about.version),
    ));
    let record = record(&members, &format!("{info}/RECORD"));
    members.push(record);
    Ok(BuiltPackage { name: format!("{stem}-{tag}.whl"), bytes: zip(&members, level)? })
}

fn metadata(content: &PackageContent) -> Vec<u8> {
    let about = &content.about;
    let mut text = format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nLicense-Expression: {}\n",
        about.pypi, about.version, about.description, about.licence
    );
    for (name, _) in &content.licences {
        let _ = writeln!(text, "License-File: {name}");
    }
    if let Some(repository) = &about.repository {
        let _ = writeln!(text, "Project-URL: Source, {repository}");
    }
    text += "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n";
    [text.as_bytes(), &content.readme].concat()
}

/// The `RECORD` file: every member with digest and size, and itself without.
fn record(members: &[ArchiveMember], name: &str) -> ArchiveMember {
    let mut lines = String::new();
    for ArchiveMember { path, bytes, .. } in members {
        let digest = BASE64URL_NOPAD.encode(sha256(bytes).as_bytes());
        let _ = writeln!(lines, "{path},sha256={digest},{}", bytes.len());
    }
    let _ = writeln!(lines, "{name},,");
    ArchiveMember::text(name, lines)
}
