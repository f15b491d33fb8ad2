//! Builds npm packages: one with a launcher, and one per platform with the binary, which npm
//! selects by `os`, `cpu` and `libc`. Nothing is run or downloaded at installation.

use serde_json::{Map, Value, json};

use crate::ChoreResult;
use crate::package::archives::{ArchiveMember, gzip, tar};
use crate::package::content::PackageContent;
use crate::package::platform::PLATFORMS;
use crate::package::{BuiltPackage, licences};

pub(crate) const LAUNCHER: &str = include_str!("npm/launcher.cjs");
/// The folder in the platform package where the launcher looks.
const FOLDER: &str = "bin";

/// The main package, and the one for the binary's platform.
pub(super) fn packages(content: &PackageContent, level: u8) -> ChoreResult<Vec<BuiltPackage>> {
    let about = &content.about;
    let platform = content.platform;
    let scoped = |end: &str| format!("{}/{end}", about.scope);
    let optional: Map<String, Value> =
        PLATFORMS.iter().map(|platform| (scoped(platform.npm), json!(about.version))).collect();
    let main = manifest(
        content,
        &about.npm,
        json!({
            "bin": { "portolan": "bin/portolan.cjs" },
            "engines": { "node": ">=18" },
            "keywords": ["agent", "cli", "code", "context", "dependencies", "llm", "map", "mcp"],
            "optionalDependencies": optional,
        }),
    )?;
    let mut native = json!({
        "cpu": [platform.cpu],
        "os": [platform.os],
        // Otherwise Yarn keeps it in an archive, and nothing can be started from there.
        "preferUnplugged": true,
    });
    if let Some(libc) = platform.libc {
        native["libc"] = json!([libc]);
    }
    let name = scoped(platform.npm);
    let native = manifest(content, &name, native)?;

    let mut launching = vec![
        ArchiveMember::text("package/package.json", main),
        ArchiveMember::executable("package/bin/portolan.cjs", LAUNCHER),
        ArchiveMember::text("package/README.md", content.readme.clone()),
    ];
    // The launcher links no crates, so it is the same for every platform.
    let ours = |member: &ArchiveMember| !member.path.ends_with(licences::THIRD_PARTY);
    launching.extend(content.licences_below("package/").into_iter().filter(ours));
    let readme = format!(
        "# {name}\n\nThe binary of [{}](https://www.npmjs.com/package/{}) for `{}`. Install that one.\n",
        about.npm, about.npm, platform.target
    );
    let mut carrying = vec![
        ArchiveMember::text("package/package.json", native),
        ArchiveMember::executable(
            format!("package/{FOLDER}/{}", platform.binary()),
            content.binary.clone(),
        ),
        ArchiveMember::text("package/README.md", readme),
    ];
    carrying.extend(content.licences_below("package/"));
    Ok(vec![
        packed(content, &about.npm, &launching, level)?,
        packed(content, &name, &carrying, level)?,
    ])
}

/// A `package.json`: the common fields, and the rest.
fn manifest(content: &PackageContent, name: &str, rest: Value) -> ChoreResult<Vec<u8>> {
    let about = &content.about;
    let mut whole = json!({
        "name": name,
        "version": about.version,
        "description": about.description,
        // npm wants a choice of licences in parentheses.
        "license": format!("({})", about.licence),
    });
    if let Some(repository) = &about.repository {
        whole["repository"] = json!({ "type": "git", "url": format!("git+{repository}.git") });
    }
    if let (Some(whole), Value::Object(rest)) = (whole.as_object_mut(), rest) {
        whole.extend(rest);
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&whole)?).into_bytes())
}

/// A package named as `npm pack` does.
fn packed(
    content: &PackageContent,
    name: &str,
    members: &[ArchiveMember],
    level: u8,
) -> ChoreResult<BuiltPackage> {
    let name = name.trim_start_matches('@').replace('/', "-");
    let name = format!("{name}-{}.tgz", content.about.version);
    Ok(BuiltPackage { name, bytes: gzip(&tar(members)?, level) })
}
