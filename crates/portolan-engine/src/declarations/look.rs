//! The use case of `portolan look`: what files and declarations need, and who uses them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_graph::declarations::{Need, Place, Resolver, World as _, needs};
use portolan_graph::{Edge, Graph, is_code};
use portolan_syntax::Languages;
use portolan_types::declarations::NONE;
use portolan_types::{EdgeKind, KindMask, NodeKind};

use super::library::{Library, with_library};
use super::read::ReadError;
use super::target::{Target, TargetError, parse_target};
use super::users::{User, users_of};
use crate::System;
use crate::config::Loaded;
use crate::map::MapReport;

/// Which way to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// What it needs.
    Needs,
    /// Who uses it.
    Users,
    /// Both.
    #[default]
    Both,
}

/// What to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookRequest {
    /// The targets as they are written.
    pub targets: Vec<String>,
    /// Which way.
    pub side: Side,
}

/// What was seen of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The target.
    pub target: String,
    /// What it needs; `None` where that was not asked for.
    pub needs: Option<Vec<Neighbour>>,
    /// Who uses it.
    pub users: Option<Vec<Neighbour>>,
    /// How many files were looked through for users.
    pub searched: usize,
    /// Whether imports are read in its language: else nothing that was found says nothing.
    pub is_read: bool,
}

/// A file or declaration that has to do with a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The file, or the module's name.
    pub file: String,
    /// The line, for a declaration or a use.
    pub line: Option<u32>,
    /// The declaration's name, or the line that uses it.
    pub name: Option<String>,
    /// For files: `type`, `dynamic`, and `barrel` where the name is re-exported on the way. For
    /// declarations: `likely` where there is a doubt, else its kind.
    pub marks: Vec<&'static str>,
}

/// Looks at the targets.
pub fn look(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    request: &LookRequest,
) -> Result<Vec<Look>, ReadError> {
    let looks = with_library(system, config, map, |library| {
        let mut looks = Vec::new();
        for text in &request.targets {
            let target = parse_target(text, |path| library.number(path).is_some());
            looks.push(match &target {
                Target::File(path) => look_at_file(map, library, path, request.side)?,
                _ => look_at_declaration(library, text, &target, request.side)?,
            });
        }
        Ok::<_, TargetError>(looks)
    })?;
    Ok(looks?)
}

fn look_at_file(
    map: &MapReport,
    library: &Library<'_>,
    path: &str,
    side: Side,
) -> Result<Look, TargetError> {
    let graph = &map.graph;
    let node = graph.index_of(path);
    let Some(node) = node.filter(|_| library.number(path).is_some()) else {
        return Err(library.no_file(path));
    };
    let needs = || graph.edges(node).iter().map(|edge| neighbour(graph, edge.target, *edge));
    let users = || {
        let all = graph.iter().flat_map(|(user, _)| {
            let edges = graph.edges(user).iter().filter(|edge| edge.target == node);
            edges.map(move |edge| neighbour(graph, user, *edge))
        });
        all.collect::<Vec<_>>()
    };
    Ok(Look {
        target: path.to_owned(),
        needs: (side != Side::Users).then(|| needs().collect()),
        users: (side != Side::Needs).then(users),
        searched: map.universe.len(),
        // Data is used by code of any language; code is used by code of its own.
        is_read: !is_code(path) || Languages::default().of(path).is_some(),
    })
}

fn neighbour(graph: &Graph, node: u32, edge: Edge) -> Neighbour {
    let mut marks = Vec::new();
    let kinds = edge.kinds();
    if !kinds.contains(EdgeKind::Runtime.mask()) {
        if kinds.contains(EdgeKind::Dynamic.mask()) {
            marks.push("dynamic");
        }
        if kinds.contains(EdgeKind::Type.mask()) {
            marks.push("type");
        }
    }
    if edge.explicit == KindMask::NONE {
        marks.push("barrel");
    }
    match graph.node(node).kind {
        NodeKind::Builtin => marks.push("builtin"),
        NodeKind::Missing => marks.push("missing"),
        NodeKind::External => marks.push("external"),
        NodeKind::Source => {}
    }
    Neighbour { file: graph.node(node).id.to_string(), line: None, name: None, marks }
}

fn look_at_declaration(
    library: &Library<'_>,
    text: &str,
    target: &Target,
    side: Side,
) -> Result<Look, TargetError> {
    let focus = library.find(target)?;
    let places: Vec<Place> = focus.iter().map(|focus| focus.place).collect();
    let mut look = Look { target: text.to_owned(), is_read: true, ..Look::default() };
    if side != Side::Users {
        let spans: Vec<_> = places
            .iter()
            .filter_map(|place| {
                Some((place.file, library.file(place.file)?.item(place.item)?.span))
            })
            .collect();
        let found = needs(&Resolver::new(library), &spans, 1);
        look.needs = Some(found.needs.iter().filter_map(|need| declared(library, need)).collect());
    }
    if side != Side::Needs {
        let found = users_of(library, &places);
        look.searched = found.searched;
        look.users = Some(found.users.into_iter().map(use_of).collect());
    }
    Ok(look)
}

fn declared(library: &Library<'_>, need: &Need) -> Option<Neighbour> {
    let facts = library.file(need.place.file)?;
    let item = facts.item(need.place.item)?;
    let own = facts.name(item.name);
    let name = match facts.item(item.parent).filter(|_| item.parent != NONE) {
        Some(parent) => format!("{}.{own}", facts.name(parent.name)),
        None => own.to_owned(),
    };
    let marks =
        if need.is_exact { vec![item.kind.name()] } else { vec![item.kind.name(), "likely"] };
    Some(Neighbour {
        file: library.path(need.place.file),
        line: library.line_of(need.place),
        name: Some(name),
        marks,
    })
}

fn use_of(user: User) -> Neighbour {
    let marks = if user.is_exact { Vec::new() } else { vec!["likely"] };
    Neighbour { file: user.file, line: Some(user.line), name: Some(user.text), marks }
}

impl Look {
    /// The answer as dense text: folders, then what is in them.
    pub fn to_text(&self) -> String {
        let count = |list: &Option<Vec<Neighbour>>, word: &str| {
            list.as_ref().map(|list| format!("{} {word}", list.len()))
        };
        let counts: Vec<String> = [count(&self.needs, "needs"), count(&self.users, "users")]
            .into_iter()
            .flatten()
            .collect();
        let mut text = format!("look {} {}\n", self.target, counts.join(", "));
        for (word, list) in [("needs", &self.needs), ("users", &self.users)] {
            let Some(list) = list else { continue };
            if list.is_empty() && !self.is_read {
                let _ = writeln!(text, "{word}: not known, imports of this language are not read");
                continue;
            }
            if list.is_empty() {
                let _ = match word {
                    "users" => writeln!(text, "users: none of {} files", self.searched),
                    _ => writeln!(text, "needs: nothing of the repository"),
                };
                continue;
            }
            let _ = writeln!(text, "{word}:");
            write_folders(&mut text, list);
        }
        text
    }
}

fn write_folders(text: &mut String, list: &[Neighbour]) {
    let mut folders: BTreeMap<&str, Vec<&Neighbour>> = BTreeMap::new();
    for neighbour in list {
        let folder = neighbour.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder).or_default().push(neighbour);
    }
    for (folder, neighbours) in folders {
        let _ = writeln!(text, "{}/", if folder.is_empty() { "." } else { folder });
        let is_plain = neighbours.iter().all(|it| it.line.is_none());
        if is_plain {
            let names: Vec<String> = neighbours.iter().map(|it| marked(it)).collect();
            let _ = writeln!(text, " {}", names.join(" "));
            continue;
        }
        for it in neighbours {
            let line = it.line.unwrap_or_default();
            let name = it.name.as_deref().unwrap_or_default();
            let marks = if it.marks.is_empty() {
                String::new()
            } else {
                format!(" ({})", it.marks.join(", "))
            };
            let _ = writeln!(text, " {}:{line} {name}{marks}", base(&it.file));
        }
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file with its marks: `:t` type, `:d` dynamic, `~` through a barrel.
fn marked(it: &Neighbour) -> String {
    let mut name = base(&it.file).to_owned();
    for mark in &it.marks {
        name.push_str(match *mark {
            "type" => ":t",
            "dynamic" => ":d",
            "barrel" => "~",
            "missing" => "?",
            _ => "",
        });
    }
    name
}
