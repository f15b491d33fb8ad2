//! Finds the package and ecosystem of each edge that leaves the repository.

use std::borrow::Cow;
use std::collections::BTreeMap;

use portolan_graph::Node;
use portolan_guard::redact;
use portolan_languages::{Ecosystem, Ecosystems, Languages};
use portolan_types::{NodeKind, RepoPath};
use portolan_wire::atlas::Leaving;

use super::packages::Packages;
use portolan_index::map::MapReport;

/// The ecosystem that resolves the imports of a file.
pub(super) fn ecosystem_of(path: &str) -> Option<&'static dyn Ecosystem> {
    let language = Languages::default().of(path)?.name();
    Ecosystems::default().of_language(language).map(|(_, ecosystem)| ecosystem)
}

/// The edges that leave a repository.
pub(super) struct Borders<'p> {
    packages: &'p Packages,
    /// By file and target.
    crossings: BTreeMap<(String, String), Leaving>,
    /// The external imports of each file, by the names in its code.
    modules: BTreeMap<String, BTreeMap<String, Leaving>>,
}

impl<'p> Borders<'p> {
    pub(super) fn of(map: &MapReport, packages: &'p Packages, stan_path: &RepoPath) -> Self {
        let mut borders = Self { packages, crossings: BTreeMap::new(), modules: BTreeMap::new() };
        let context = format!("{stan_path}/context/");
        for (index, node) in map.graph.iter().filter(|(_, node)| node.kind == NodeKind::Source) {
            let path = node.id.as_str();
            let Some(ecosystem) = ecosystem_of(path) else { continue };
            for edge in map.graph.edges(index) {
                let target = map.graph.node(edge.target);
                let Some(module) = module_of(ecosystem, target, &context) else { continue };
                let leaving = leaving(ecosystem, packages, path, &module);
                let modules = borders.modules.entry(path.to_owned()).or_default();
                modules.insert(module.into_owned(), leaving.clone());
                borders.crossings.insert((path.to_owned(), target.id.to_string()), leaving);
            }
        }
        borders
    }

    /// The package that an edge leads to, if it leaves the repository.
    pub(super) fn crossed(&self, source: &str, target: &Node) -> Option<Leaving> {
        self.crossings.get(&(source.to_owned(), target.id.to_string())).cloned()
    }

    /// The package that a specifier in a file refers to.
    pub(super) fn named(&self, path: &str, specifier: &str) -> Option<Leaving> {
        self.imported(path, specifier).cloned().or_else(|| self.written(path, specifier))
    }

    /// A package that the manifests above a file require, in languages where code may name it
    /// without an import.
    fn written(&self, path: &str, specifier: &str) -> Option<Leaving> {
        let ecosystem = ecosystem_of(path)?;
        let module = ecosystem.module_in_path(specifier)?;
        let is_own = self.packages.provide(ecosystem.name(), module);
        let leaving = leaving(ecosystem, self.packages, path, module);
        Some(leaving).filter(|leaving| !is_own && leaving.requirement.is_some())
    }

    /// A package that the file imports: the longest module name that is a prefix of the specifier.
    fn imported(&self, path: &str, specifier: &str) -> Option<&Leaving> {
        let modules = self.modules.get(path)?;
        let fits = |module: &str| {
            let rest = specifier.strip_prefix(module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
        };
        let fitting = modules.iter().filter(|(module, _)| fits(module));
        fitting.max_by_key(|(module, _)| module.len()).map(|(_, leaving)| leaving)
    }
}

/// The module of the other package that a node represents.
fn module_of<'n>(
    ecosystem: &dyn Ecosystem,
    target: &'n Node,
    context: &str,
) -> Option<Cow<'n, str>> {
    match target.kind {
        NodeKind::Missing => ecosystem.package_named(target.id.as_str()),
        NodeKind::External => {
            let rest = target.id.as_str().strip_prefix(context)?;
            let (name, rest) = rest.split_once('/')?;
            if name != ecosystem.name() {
                return None;
            }
            ecosystem.module_of_installed(rest)
        }
        NodeKind::Source | NodeKind::Builtin => None,
    }
}

fn leaving(
    ecosystem: &'static dyn Ecosystem,
    packages: &Packages,
    path: &str,
    module: &str,
) -> Leaving {
    let mut requirement = None;
    let mut name = module.to_owned();
    for package in packages.above(ecosystem.name(), path) {
        let asked = package.published.requirements.iter();
        // A renamed dependency is required under its new name.
        let stands =
            |asked: &str| package.published.renamed.get(asked).is_some_and(|it| it == module);
        let asked =
            asked.filter(|(asked, _)| ecosystem.may_provide(asked, module) || stands(asked));
        if let Some(other) = package.published.renamed.get(module) {
            name.clone_from(other);
        }
        // If several match, the longest name is the most specific one.
        if let Some((_, version)) = asked.max_by_key(|(asked, _)| asked.len()) {
            requirement = Some(redact(version).into_owned());
            break;
        }
    }
    Leaving {
        ecosystem: ecosystem.name().to_owned(),
        module: redact(&name).into_owned(),
        requirement,
    }
}
