//! Checks that the server never gives a stale answer: after every edit it answers like a new
//! process.
//!
//! `PORTOLAN_EDITS=1000` sets the number of edits; by default there are only a few.

use std::path::Path;

use serde_json::json;

use crate::mcp::Client;
use crate::support::{Repo, run_in};

/// The files that are edited.
const PATHS: [&str; 14] = [
    "src/a.ts",
    "src/a.tsx",
    "src/a/index.ts",
    "src/b.ts",
    "src/index.ts",
    "src/deep/c.ts",
    "lib/index.ts",
    "lib/d.ts",
    "lib/package.json",
    "package.json",
    "tsconfig.json",
    ".gitignore",
    "stan.config.yml",
    "tool/main.py",
];

/// Texts for a kind of file.
fn texts(path: &str) -> &'static [&'static str] {
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => &[
            r#"{"name":"lib","main":"index.ts"}"#,
            r#"{"name":"lib","main":"d.ts"}"#,
            r#"{"workspaces":["lib"]}"#,
        ],
        "tsconfig.json" => &[
            r#"{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#,
            r#"{"compilerOptions":{"paths":{"@/*":["./lib/*"]}}}"#,
        ],
        ".gitignore" => &["src/a.tsx\n", "lib/\n", "\n"],
        "stan.config.yml" => &["stan-core:\n  excludes: ['src/b.ts']\n", "stan-core: {}\n"],
        "main.py" => &["import os\n", "def main():\n    pass\n"],
        _ => &[
            "export const one = 1;\n",
            "import { one } from './a';\nexport const two = one;\n",
            "export * from './b';\nimport 'lib';\n",
            "import { d } from '@/d';\nimport type { T } from '../lib';\n",
            "export interface T { x: number }\nexport const d = () => import('../src/a');\n",
            "const { one } = require('./a');\n",
        ],
    }
}

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Makes one edit: writes, removes or renames a file; or all of them, as when switching a branch.
fn edit(repo: &Repo, dice: &mut Dice) {
    let path = dice.of(&PATHS);
    let target = repo.path().join(path);
    match dice.below(10) {
        0..=5 => repo.write(path, dice.of(texts(path)).as_bytes()),
        6 | 7 => drop(std::fs::remove_file(target)),
        8 => {
            let to = repo.path().join(dice.of(&PATHS));
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            let _ = std::fs::rename(target, to);
        }
        _ => {
            for path in PATHS {
                if dice.below(2) == 0 {
                    let _ = std::fs::remove_file(repo.path().join(path));
                } else {
                    repo.write(path, dice.of(texts(path)).as_bytes());
                }
            }
        }
    }
}

/// The answer of a new process, in the server's form.
fn fresh(repo: &Path, name: &str, target: &str) -> Result<String, ()> {
    let arguments: &[&str] =
        if name == "chart" { &["chart"] } else { &[name, target, "--no-cache"] };
    let run = run_in(repo, arguments, &[]);
    if run.code == 0 { Ok(run.stdout) } else { Err(()) }
}

#[test]
fn random_edits_never_show() {
    let edits = std::env::var("PORTOLAN_EDITS").ok().and_then(|it| it.parse().ok()).unwrap_or(40);
    let repo =
        Repo::new("//- .git/HEAD\nref: refs/heads/main\n//- src/a.ts\nexport const one = 1;\n");
    std::fs::create_dir(repo.parent().join("cache")).unwrap();
    let mut client = Client::old(&repo, &[]);
    let mut dice = Dice(7);
    for number in 0..edits {
        edit(&repo, &mut dice);
        let (name, target) = match dice.below(8) {
            0 => ("chart", "."),
            1 | 2 => ("read", dice.of(&PATHS)),
            _ => ("look", dice.of(&PATHS)),
        };
        let arguments = match name {
            "chart" => json!({}),
            _ => json!({"targets": [target]}),
        };
        let (text, is_error) = client.call(name, &arguments);
        let said = if is_error { Err(()) } else { Ok(text) };
        assert_eq!(said, fresh(&repo.path(), name, target), "edit {number}: {name} {target}");
    }
}
