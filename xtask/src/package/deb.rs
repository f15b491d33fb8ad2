//! Builds a Debian package: two archives in an `ar` archive, with files where Debian expects them.

use crate::ChoreResult;
use crate::package::archives::{ArchiveMember, ar, gzip, tar_with_folders};
use crate::package::content::PackageContent;
use crate::package::{BuiltPackage, licences};

/// Builds the package, for Linux only.
pub(super) fn package(content: &PackageContent, level: u8) -> ChoreResult<BuiltPackage> {
    let platform = content.platform;
    let architecture =
        platform.deb.ok_or_else(|| format!("Debian has no packages for `{}`", platform.target))?;
    let members = members(content);
    let control = control(content, architecture, &members)?;
    let control = tar_with_folders(&[ArchiveMember::text("control", control)])?;
    let bytes = ar(&[
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", &gzip(&control, level)),
        ("data.tar.gz", &gzip(&tar_with_folders(&members)?, level)),
    ]);
    let name = format!("{}_{}_{architecture}.deb", content.about.deb, content.about.version);
    Ok(BuiltPackage { name, bytes })
}

fn members(content: &PackageContent) -> Vec<ArchiveMember> {
    let doc = format!("usr/share/doc/{}", content.about.deb);
    let mut members = vec![ArchiveMember::executable("usr/bin/portolan", content.binary.clone())];
    for completion in &content.completions {
        let path = match completion.shell {
            "bash" => "usr/share/bash-completion/completions/portolan",
            "zsh" => "usr/share/zsh/vendor-completions/_portolan",
            "fish" => "usr/share/fish/vendor_completions.d/portolan.fish",
            _ => continue,
        };
        members.push(ArchiveMember::text(path, completion.text.clone()));
    }
    // Debian compresses manual pages and changelogs at the best level.
    for (name, page) in &content.pages {
        members.push(ArchiveMember::text(format!("usr/share/man/man1/{name}.gz"), gzip(page, 9)));
    }
    let hook =
        ArchiveMember::executable("usr/share/portolan/hooks/pre-commit", content.hook.clone());
    members.push(hook);
    members.push(ArchiveMember::text(format!("{doc}/changelog.gz"), gzip(&content.changes, 9)));
    members.push(ArchiveMember::text(format!("{doc}/copyright"), copyright(content)));
    for (name, text) in &content.licences {
        // The Apache licence is on every Debian machine, and `copyright` contains the other one.
        if name == licences::THIRD_PARTY {
            members.push(ArchiveMember::text(format!("{doc}/{name}.gz"), gzip(text, 9)));
        }
    }
    members.sort_by(|a, b| a.path.cmp(&b.path));
    members
}

fn control(
    content: &PackageContent,
    architecture: &str,
    members: &[ArchiveMember],
) -> ChoreResult<String> {
    let about = &content.about;
    let bytes: usize = members.iter().map(|member| member.bytes.len()).sum();
    let depends = content.platform.deb_depends(&content.binary)?;
    let depends = if depends.is_empty() { depends } else { format!("Depends: {depends}\n") };
    let homepage = about.repository.as_ref().map(|page| format!("Homepage: {page}\n"));
    Ok(format!(
        "Package: {}\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {}\nInstalled-Size: {}\n\
         {depends}Section: devel\nPriority: optional\n{}Description: {}\n \
         A map of a repository for coding assistants, the files that they ask for, and\n \
         packs of all that a failure, a task or a change needs.\n",
        about.deb,
        about.version,
        about.maintainer,
        bytes.div_ceil(1024),
        homepage.unwrap_or_default(),
        about.description.replace(": ", ", "),
    ))
}

/// The copyright file in Debian's machine-readable format.
fn copyright(content: &PackageContent) -> String {
    let mit = content.licences.iter().find(|(name, _)| name == "LICENSE-MIT");
    let mit = mit.map(|(_, text)| String::from_utf8_lossy(text)).unwrap_or_default();
    let indented = |text: &str| {
        let line = |line: &str| match line.trim_end() {
            "" => " .\n".to_owned(),
            line => format!(" {line}\n"),
        };
        text.trim().lines().map(line).collect::<String>()
    };
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: portolan\n\n\
         Files: *\nCopyright: 2026 The Portolan authors\nLicense: Expat or Apache-2.0\nComment: THIRD-PARTY.gz has the licences of what is linked in.\n\n\
         License: Expat\n{}\nLicense: Apache-2.0\n On Debian systems its text is in /usr/share/common-licenses/Apache-2.0.\n",
        indented(&mit)
    )
}
