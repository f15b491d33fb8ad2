//! Generates TypeScript monorepos: the same seed gives the same bytes.
//!
//! A corpus has packages of about a hundred modules. Each package has areas, each area has a
//! barrel, and the package has one. Modules import their neighbours, barrels, other packages by
//! name (workspaces) and by alias (`paths`), types, builtins, and sometimes something lazily.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rayon::prelude::*;

use crate::ChoreResult;

/// The seed of the committed figures.
pub(crate) const SEED: u64 = 1375;

const MODULES_PER_PACKAGE: usize = 100;
const MODULES_PER_AREA: usize = 20;
/// The most imports of a module; half of that on average.
const FAN_OUT: u64 = 12;

/// Writes a corpus with `modules` modules below `folder`.
pub(crate) fn write(folder: &Path, modules: usize, seed: u64) -> ChoreResult<()> {
    let packages = modules.div_ceil(MODULES_PER_PACKAGE);
    put(
        folder,
        "package.json",
        "{\"name\":\"corpus\",\"private\":true,\"workspaces\":[\"packages/*\"]}\n",
    )?;
    put(folder, ".gitignore", "node_modules/\ndist/\n.stan/\n")?;
    put(
        folder,
        "tsconfig.json",
        "{\"compilerOptions\":{\"moduleResolution\":\"bundler\",\"baseUrl\":\".\",\"paths\":{\"~/*\":[\"packages/*\"]}}}\n",
    )?;
    fs::create_dir_all(folder.join(".git"))?;
    fs::create_dir_all(folder.join(".stan"))?;
    let written: Result<Vec<()>, std::io::Error> = (0..packages)
        .into_par_iter()
        .map(|package| {
            let first = package * MODULES_PER_PACKAGE;
            let count = MODULES_PER_PACKAGE.min(modules - first);
            CorpusPackage { number: package, count, packages, seed }.write(folder)
        })
        .collect();
    written?;
    Ok(())
}

fn put(folder: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

/// A small random number generator, good enough to make code look irregular (splitmix64).
struct CorpusRng(u64);

impl CorpusRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// One package of a corpus.
struct CorpusPackage {
    number: usize,
    count: usize,
    packages: usize,
    seed: u64,
}

impl CorpusPackage {
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let home = format!("packages/p{}", self.number);
        let name = self.number;
        put(
            folder,
            &format!("{home}/package.json"),
            &format!(
                "{{\"name\":\"@corpus/p{name}\",\"version\":\"1.0.0\",\"main\":\"src/index.ts\"}}\n"
            ),
        )?;
        put(
            folder,
            &format!("{home}/tsconfig.json"),
            "{\"extends\":\"../../tsconfig.json\",\"include\":[\"src\"]}\n",
        )?;
        let areas = self.count.div_ceil(MODULES_PER_AREA);
        let mut barrel = String::from("/** @module The package, as others see it. */\n");
        for area in 0..areas {
            let _ = writeln!(barrel, "export * from './area{area}';");
            self.write_area(folder, &home, area)?;
        }
        put(folder, &format!("{home}/src/index.ts"), &barrel)
    }

    fn write_area(&self, folder: &Path, home: &str, area: usize) -> std::io::Result<()> {
        let count = MODULES_PER_AREA.min(self.count - area * MODULES_PER_AREA);
        let mut barrel = String::new();
        for module in 0..count {
            let id = format!("{}_{area}_{module}", self.number);
            if module % 3 == 0 {
                let _ = writeln!(barrel, "export * from './module{module}.js';");
            } else {
                let _ = writeln!(
                    barrel,
                    "export {{ make{id}, type Shape{id} }} from './module{module}.js';"
                );
            }
            let path = format!("{home}/src/area{area}/module{module}.ts");
            put(folder, &path, &self.module(area, module, count))?;
        }
        put(folder, &format!("{home}/src/area{area}/index.ts"), &barrel)
    }

    /// The text of one module: imports, then functions that use them.
    fn module(&self, area: usize, module: usize, in_area: usize) -> String {
        let place = (self.number * MODULES_PER_PACKAGE + area * MODULES_PER_AREA + module) as u64;
        let mut random = CorpusRng(self.seed ^ place.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let id = format!("{}_{area}_{module}", self.number);
        let mut text = format!("/** @module What module {id} is for, in one line. */\n");
        let imports = random.next() % (FAN_OUT + 1);
        let mut used = Vec::new();
        for at in 0..imports {
            used.push(self.import(&mut text, &mut random, (area, module, in_area), at));
        }
        let _ = writeln!(
            text,
            "\nexport interface Shape{id} {{\n  readonly name: string;\n  readonly size?: number;\n}}"
        );
        let _ = writeln!(
            text,
            "\nexport const make{id} = (name: string): Shape{id} => ({{ name, size: name.length }});"
        );
        for function in 0..=random.below(9) {
            write_function(&mut text, &mut random, &format!("{id}_{function}"), &used);
        }
        text
    }

    /// Writes one import and returns an expression that uses it.
    fn import(
        &self,
        text: &mut String,
        random: &mut CorpusRng,
        (area, module, in_area): (usize, usize, usize),
        at: u64,
    ) -> String {
        let other = self.number.min(random.below(self.packages));
        let neighbour = random.below(in_area);
        let written = match random.below(12) {
            0 => {
                let _ = writeln!(text, "import {{ join as join{at} }} from 'node:path';");
                return format!("join{at}('a', 'b')");
            }
            1 => {
                let _ = writeln!(text, "const lazy{at} = () => import('./module{neighbour}.js');");
                return format!("lazy{at}.length");
            }
            2 => {
                let _ = writeln!(
                    text,
                    "import type {{ Shape{0}_{area}_{neighbour} as Other{at} }} from './module{neighbour}';",
                    self.number
                );
                return format!("(undefined as Other{at} | undefined)?.size ?? 0");
            }
            3 | 4 => (format!("{other}_0_0"), format!("@corpus/p{other}")),
            5 => (format!("{other}_0_0"), format!("~/p{other}/src/area0/module0")),
            6 | 7 => (format!("{}_0_1", self.number), "../index".to_owned()),
            _ if neighbour == module => (format!("{}_0_1", self.number), "../area0".to_owned()),
            _ => (format!("{}_{area}_{neighbour}", self.number), format!("./module{neighbour}.js")),
        };
        let (name, specifier) = written;
        let _ = writeln!(text, "import {{ make{name} as make{at} }} from '{specifier}';");
        format!("make{at}('x').size ?? 1")
    }
}

fn write_function(text: &mut String, random: &mut CorpusRng, id: &str, used: &[String]) {
    let _ = writeln!(
        text,
        "\n/** Works on a list of things. */\nexport function work{id}(input: readonly string[], limit = {}): number {{",
        random.below(100)
    );
    let _ = writeln!(text, "  let total = 0;\n  for (const [index, item] of input.entries()) {{");
    let _ = writeln!(
        text,
        "    if (item.startsWith('{}') && index < limit) {{ total += item.length; }} else {{ total -= 1; }}",
        random.below(1000)
    );
    let _ = writeln!(
        text,
        "    const options = {{ name: item, nested: {{ deep: [index, total, ...[1, 2, 3]] }} }};"
    );
    let _ = writeln!(
        text,
        "    total += options.nested.deep.map((value) => value * {}).filter((value) => value > 0).length;\n  }}",
        random.below(9)
    );
    if !used.is_empty() {
        let _ = writeln!(
            text,
            "  // What was imported is used somewhere.\n  total += Number({});",
            used[random.below(used.len())]
        );
    }
    let _ = writeln!(text, "  return total;\n}}");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    fn files(seed: u64) -> BTreeMap<String, Vec<u8>> {
        fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(root, &path, found);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
        let folder = tempfile::tempdir().unwrap();
        super::write(folder.path(), 130, seed).unwrap();
        let mut found = BTreeMap::new();
        collect(folder.path(), folder.path(), &mut found);
        found
    }

    #[test]
    fn the_same_seed_gives_the_same_files() {
        let first = files(7);
        let modules = first.keys().filter(|path| path.contains("/module")).count();
        assert_eq!(modules, 130);
        assert!(first == files(7));
        assert!(first != files(8));
    }
}
