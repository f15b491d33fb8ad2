//! A Python wheel that carries the binary as a script: what `maturin` makes with `bindings = "bin"`.

use data_encoding::BASE64URL_NOPAD;
use portolan_vfs::sha256;
use std::fmt::Write as _;

use crate::Outcome;
use crate::package::Package;
use crate::package::archives::{Member, zip};
use crate::package::content::Content;

/// The wheel, for every Python 3 of the platform.
pub(super) fn package(content: &Content, level: u8) -> Outcome<Package> {
    let about = &content.about;
    // The name as files have it.
    let stem = format!("{}-{}", about.pypi.replace(['-', '.'], "_"), about.version);
    let tag = format!("py3-none-{}", content.platform.wheel_tag(&content.binary)?);
    let info = format!("{stem}.dist-info");
    let script = format!("{stem}.data/scripts/{}", content.platform.binary());
    let mut members = vec![Member::executable(script, content.binary.clone())];
    members.extend(content.licences_below(&format!("{info}/licenses/")));
    members.push(Member::text(format!("{info}/METADATA"), metadata(content)));
    members.push(Member::text(
        format!("{info}/WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: portolan-xtask {}\nRoot-Is-Purelib: false\nTag: {tag}\n", about.version),
    ));
    let record = record(&members, &format!("{info}/RECORD"));
    members.push(record);
    Ok(Package { name: format!("{stem}-{tag}.whl"), bytes: zip(&members, level)? })
}

fn metadata(content: &Content) -> Vec<u8> {
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

/// Every member with digest and size, and itself without.
fn record(members: &[Member], name: &str) -> Member {
    let mut lines = String::new();
    for Member { path, bytes, .. } in members {
        let digest = BASE64URL_NOPAD.encode(sha256(bytes).as_bytes());
        let _ = writeln!(lines, "{path},sha256={digest},{}", bytes.len());
    }
    let _ = writeln!(lines, "{name},,");
    Member::text(name, lines)
}
