//! npm: one package with a launcher, and one a platform with the binary, which npm chooses by `os`, `cpu` and
//! `libc`. Nothing is run and nothing is fetched at installation.

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::package::Package;
use crate::package::archives::{Member, gzip, tar};
use crate::package::content::Content;
use crate::package::licences;
use crate::package::platform::PLATFORMS;

pub(crate) const LAUNCHER: &str = include_str!("npm/launcher.cjs");
/// Where the launcher looks, in the package of a platform.
const FOLDER: &str = "bin";

/// The main package, and that of the binary's platform.
pub(super) fn packages(content: &Content, level: u8) -> Outcome<Vec<Package>> {
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
        // Yarn would keep it in an archive, from which nothing can be started.
        "preferUnplugged": true,
    });
    if let Some(libc) = platform.libc {
        native["libc"] = json!([libc]);
    }
    let name = scoped(platform.npm);
    let native = manifest(content, &name, native)?;

    let mut launching = vec![
        Member::text("package/package.json", main),
        Member::executable("package/bin/portolan.cjs", LAUNCHER),
        Member::text("package/README.md", content.readme.clone()),
    ];
    // Nothing is linked into it: so it is the same from every platform.
    let ours = |member: &Member| !member.path.ends_with(licences::THIRD_PARTY);
    launching.extend(content.licences_below("package/").into_iter().filter(ours));
    let readme = format!(
        "# {name}\n\nThe binary of [{}](https://www.npmjs.com/package/{}) for `{}`. Install that one.\n",
        about.npm, about.npm, platform.target
    );
    let mut carrying = vec![
        Member::text("package/package.json", native),
        Member::executable(
            format!("package/{FOLDER}/{}", platform.binary()),
            content.binary.clone(),
        ),
        Member::text("package/README.md", readme),
    ];
    carrying.extend(content.licences_below("package/"));
    Ok(vec![
        packed(content, &about.npm, &launching, level)?,
        packed(content, &name, &carrying, level)?,
    ])
}

/// A `package.json`: what all have, and the rest.
fn manifest(content: &Content, name: &str, rest: Value) -> Outcome<Vec<u8>> {
    let about = &content.about;
    let mut whole = json!({
        "name": name,
        "version": about.version,
        "description": about.description,
        // npm wants the expression in parentheses where there is a choice.
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

/// Named as `npm pack` names it.
fn packed(content: &Content, name: &str, members: &[Member], level: u8) -> Outcome<Package> {
    let name = name.trim_start_matches('@').replace('/', "-");
    let name = format!("{name}-{}.tgz", content.about.version);
    Ok(Package { name, bytes: gzip(&tar(members)?, level) })
}
