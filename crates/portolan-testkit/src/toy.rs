//! A toy language that shows what a new language takes: this file, and nothing else.
//!
//! A `.toy` file has one statement per line:
//!
//! ```text
//! # A description.
//! package p            is part of the package p
//! use a/b x y          needs the names x and y of a/b: the file `a/b.toy`, or all files of `a/b/`
//! pass a/b x           re-exports the name x
//! all a/b              re-exports everything
//! def x                defines x
//! needs x              uses x of the same package
//! fail                 makes the parser fail
//! ```

use portolan_index::map::LanguageRegistry;
use portolan_languages::{
    Definition, Ecosystem, Ecosystems, Facts, Forward, Forwarded, Import, ImportTarget, Importer,
    Language, Languages, Need, PackageIdentity, Request, Resolve, ResolveContext, ScopeId, Scratch,
    SourceText, Use,
};
use portolan_types::{EdgeKind, NodeKind};

/// A registry with only the toy language.
pub const TOY_ONLY: LanguageRegistry = LanguageRegistry {
    languages: Languages::new(&[&ToyLanguage]),
    ecosystems: Ecosystems::new(&[&ToyEcosystem]),
};

/// The language.
pub struct ToyLanguage;

impl Language for ToyLanguage {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        path.rsplit_once('.').is_some_and(|(_, ending)| ending == "toy").then_some(0)
    }

    fn extract(&self, source: &SourceText<'_>, _: &mut Scratch) -> Facts {
        let mut facts = Facts::default();
        for line in source.text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let mut words = rest.split_whitespace();
            let import = facts.imports.len() as u32;
            match word {
                "#" => facts.description = Some(rest.into()),
                "package" => facts.package = Some(rest.into()),
                "def" => facts.definitions.push(Definition::from(rest)),
                "needs" => facts.uses.push(Use { name: rest.into(), ..Use::default() }),
                "fail" => fail(),
                "use" | "pass" | "all" => {
                    let specifier = words.next().unwrap_or_default().into();
                    facts.imports.push(Import { specifier, ..Import::default() });
                    if word == "all" {
                        facts.glob_reexports.push(import);
                    }
                    for name in words.map(Box::<str>::from) {
                        if word == "pass" {
                            let (target, scope) = (Forwarded::Name(name.clone()), ScopeId(0));
                            facts.forwards.push(Forward { name, import, target, scope });
                        } else {
                            facts.requests.push(Request { import, name, ..Request::default() });
                        }
                    }
                }
                _ => {}
            }
        }
        facts.definitions.sort();
        facts
    }
}

#[expect(clippy::panic, reason = "parsers do")]
fn fail() {
    panic!("as the text says");
}

/// The ecosystem.
pub struct ToyEcosystem;

impl Ecosystem for ToyEcosystem {
    fn name(&self) -> &'static str {
        "toys"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["toy"]
    }

    fn installed<'p>(&self, root: &str, path: &'p str) -> Option<&'p str> {
        let inside = path.strip_prefix(root)?.strip_prefix("/box/")?;
        Some(&path[..path.len() - inside.len() + inside.find('/')?])
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(ToyResolver { ctx })
    }
}

struct ToyResolver<'a> {
    ctx: &'a ResolveContext<'a>,
}

struct ToyImporter<'i> {
    ctx: &'i ResolveContext<'i>,
    path: &'i str,
}

impl Resolve for ToyResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(ToyImporter { ctx: self.ctx, path })
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let folder = ToyEcosystem.installed(self.ctx.files().root(), path)?;
        let (name, version) = folder.rsplit('/').next()?.split_once('-')?;
        Some(PackageIdentity {
            ecosystem: ToyEcosystem.name(),
            folder: folder.to_owned(),
            manifest: folder.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            is_addressable: true,
        })
    }
}

impl Importer for ToyImporter<'_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let specifier = &facts.imports[import].specifier;
        let files = self.ctx.files();
        let place = format!("{}/{specifier}", files.root());
        let file = format!("{place}.toy");
        if files.is_file(&file) {
            return found.push(ImportTarget::File(file.into()));
        }
        let below =
            files.names(&place).into_iter().filter(|name| ToyLanguage.claim(name).is_some());
        found.extend(below.map(|name| ImportTarget::File(format!("{place}/{name}").into())));
        if found.is_empty() {
            let kind = if **specifier == *"sys" { NodeKind::Builtin } else { NodeKind::Missing };
            found.push(ImportTarget::Module(format!("toy:{specifier}").into(), kind));
        }
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let sources = self.ctx.sources();
        for used in &facts.uses {
            let beside = sources.paths().filter(|path| *path != self.path).filter(|path| {
                sources.facts(path).is_some_and(|other| {
                    other.package == facts.package && other.definition(&used.name).is_some()
                })
            });
            let need = |path: &str| Need {
                target: ImportTarget::File(path.into()),
                kind: EdgeKind::Runtime,
                is_written: false,
            };
            found.extend(beside.map(need));
        }
    }
}
