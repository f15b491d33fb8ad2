//! What a target means in a repository: the declarations and the files, or why there are none.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _, enclosing};
use portolan_types::FileId;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, NONE};

use super::by_name::{
    NamedDeclaration, declared_as, extensions_as, files_with, is_called, is_named,
    is_nearly_called, named_like, of_name, sharing_last_part, whole_name,
};
use super::spelling::{bare_name, listed};
use super::{
    MOST_MARKS, MOST_NAMED, MOST_NAMESAKES, MOST_OWNERS, Target, TargetError, dotted, full_name,
    grouped, in_path, is_quoted, nearest, not_local, only_member, parse_target, targets,
};
use crate::map_paths::MapPaths;
use crate::read::expanded;
use crate::search::FileClass;
use crate::slices::Focus;
use portolan_index::symbols::{Loaded, SymbolDb};
use portolan_workspace::path_input::{EVERYTHING, KnownPaths as _, PathMatcher};
use portolan_workspace::similar::similar_files;

/// The declarations of a repository, asked by targets.
#[derive(Clone, Copy)]
pub struct TargetLookup<'a, 'm>(pub &'a SymbolDb<'m>);

impl<'m> std::ops::Deref for TargetLookup<'_, 'm> {
    type Target = SymbolDb<'m>;

    fn deref(&self) -> &SymbolDb<'m> {
        self.0
    }
}

impl TargetLookup<'_, '_> {
    /// Parses a target. Relative paths start at the user's current folder.
    pub fn target(self, text: &str) -> Target {
        let paths = MapPaths::of(self.map());
        let target = parse_target(text, self.path_input(), &paths);
        if let Target::Named(path, name) = &target {
            if let Some(path) = self.only_declaring(path, name) {
                return Target::Named(path, name.clone());
            }
            return self.member_of(text, path).map_or(target, Target::Name);
        }
        let Target::Name(name) = &target else { return target };
        // A word is a declaration if there is one, and else a file or a folder. Many of one name in tests are none.
        let path = self.path_input().meant(name, &paths);
        // A file of that name says more than a folder: what it exports by default has no other name.
        let path = path.map(|path| self.file_called(name, &path).unwrap_or(path));
        let is_declared = |path: &String| {
            let found = not_local(declared_as(self.0, name));
            let is_as_near = |it: &NamedDeclaration| it.file_rank() <= paths.rank(path);
            found.iter().any(is_as_near) || (1..=MOST_NAMED).contains(&found.len())
        };
        match path.filter(|path| !is_declared(path)) {
            Some(path) => Target::File(path),
            None => target,
        }
    }

    /// `Class#member`, as some languages write it, where no file has the name before the mark, and a declaration has both.
    fn member_of(self, text: &str, path: &str) -> Option<String> {
        let (owner, member) = text.split_once('#')?;
        let is_name = !owner.contains(['/', ' ']) && !is_quoted(member);
        if !is_name || self.number(path).is_some() || self.looks_like_file(owner) {
            return None;
        }
        let name = dotted(&format!("{}.{member}", owner.trim_end_matches(['.', ':'])));
        (!declared_as(self.0, &name).is_empty()).then_some(name)
    }

    /// Where the types of a package are declared that a name means (`declare module 'react'`), as targets; nothing where the
    /// name is also that of another declaration.
    pub(crate) fn module_declarations(self, target: &Target) -> Vec<String> {
        let Target::Name(name) = target else { return Vec::new() };
        let found = not_local(declared_as(self.0, name));
        let is_module = |it: &NamedDeclaration| {
            let places = self.number(&it.file).map(|file| self.named(file, &it.file, name));
            let places = places.and_then(Result::ok).unwrap_or_default();
            !places.is_empty()
                && places.iter().all(|focus| {
                    let facts = self.file(focus.place.file).unwrap_or_default();
                    facts.item(focus.place.item).is_some_and(Declaration::is_module)
                })
        };
        if !found.iter().all(is_module) {
            return Vec::new();
        }
        let mut targets: Vec<String> =
            found.iter().map(|it| format!("{}#{}", it.file, it.name)).collect();
        targets.dedup();
        targets
    }

    /// The one file of code that is called like a folder of this name, without its ending.
    fn file_called(self, name: &str, folder: &str) -> Option<String> {
        if self.number(folder).is_some() {
            return None;
        }
        let stem = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.split_once('.').is_some_and(|(stem, _)| stem == name)
        };
        let files = self.map().universe.iter().map(|file| file.path.as_str());
        let mut files = files.filter(|path| stem(path) && FileClass::of(path) == FileClass::Code);
        match (files.next(), files.next()) {
            (Some(only), None) => Some(only.to_owned()),
            _ => None,
        }
    }

    /// Of several files that have the name of a file, the only one with such a declaration.
    fn only_declaring(self, path: &str, name: &str) -> Option<String> {
        if self.number(path).is_some() {
            return None;
        }
        let files = self.path_input().nearest(path, &MapPaths::of(self.map())).others;
        let declares = |path: &&String| {
            let file = self.number(path);
            file.is_some_and(|file| self.named(file, path, name).is_ok())
        };
        let found: Vec<&String> =
            files.iter().take(MOST_NAMESAKES).filter(declares).take(2).collect();
        match found[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The other files that the path of a target may mean, nearest first.
    pub(crate) fn others(self, text: &str, path: &str) -> Vec<String> {
        let paths = MapPaths::of(self.map());
        let is_chosen = |typed: &str| {
            let nearest = self.path_input().nearest(typed, &paths);
            let is_plain = paths.has(&self.path_input().plain(typed, &|path| paths.has(path)));
            (!is_plain && nearest.best.as_deref() == Some(path)).then_some(nearest.others)
        };
        let ends = text.char_indices().filter(|(_, c)| matches!(c, '#' | ':')).map(|(at, _)| at);
        let mut ends = std::iter::once(text.len()).chain(ends.take(MOST_MARKS));
        ends.find_map(|end| is_chosen(&text[..end])).unwrap_or_default()
    }

    /// The files below a folder, and how they are numbered; nothing if the path is no folder.
    pub(crate) fn below(self, path: &str) -> Vec<FileId> {
        let is_below = |file: &str| {
            path == EVERYTHING || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
        };
        let files = self.map().universe.iter().zip(FileId::all());
        files.filter(|(file, _)| is_below(file.path.as_str())).map(|(_, number)| number).collect()
    }

    /// What a target means: declarations, or a place in a file that declares nothing.
    pub(crate) fn focus(self, target: &Target) -> Result<Vec<Focus>, TargetError> {
        let found = self.find(target);
        let (Target::Place(path, line, _), Err(TargetError::Nothing { .. })) = (target, &found)
        else {
            return found;
        };
        let text = self.number(path).and_then(|file| Some((file, self.shown(file)?)));
        let text = text.filter(|(_, it)| it.facts.items.is_empty() && *line <= it.lines.count());
        let Some((file, text)) = text else { return found };
        let at = Some(text.lines.span(*line).start);
        Ok(vec![Focus { place: Place { file, item: NONE }, at }])
    }

    /// Refuses line 0 of a file that is there.
    pub(crate) fn begins_at_one(self, target: &Target) -> Result<(), TargetError> {
        match target {
            Target::Place(path, 0, _) | Target::Lines(path, 0, _) => {
                self.known(path)?;
                Err(TargetError::LineZero { path: path.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The targets that some texts stand for: names in braces, and globs of files.
    pub(crate) fn targets(self, texts: &[String]) -> Vec<String> {
        texts.iter().flat_map(|text| self.each_of(text)).collect()
    }

    /// The targets that a text stands for.
    pub(crate) fn each_of(self, text: &str) -> Vec<String> {
        // `cart.{ts,js}` may be files, and `Cart.{total,clear}` are members.
        if let Some(files) = self.matching(text) {
            return files;
        }
        let listed = listed(text).filter(|_| !self.is_declared_whole(text));
        let texts = listed.unwrap_or_else(|| vec![text.to_owned()]);
        let texts = texts.iter().flat_map(|text| expanded(text));
        texts.flat_map(|text| self.matching(&text).unwrap_or_else(|| vec![text])).collect()
    }

    /// Whether a text with commas is a path, or the name of one declaration of a file, as a rule of CSS has it.
    fn is_declared_whole(self, text: &str) -> bool {
        let paths = MapPaths::of(self.map());
        match parse_target(text, self.path_input(), &paths) {
            Target::File(path) => paths.has(&path),
            Target::Named(path, name) => {
                let facts = self.number(&path).and_then(|file| self.file(file)).unwrap_or_default();
                facts.items.iter().any(|it| facts.name(it.name) == name)
            }
            _ => false,
        }
    }

    /// The files that a glob matches, seen from the user's folder or else from the root; `None` if the text is none, or
    /// matches nothing.
    fn matching(self, text: &str) -> Option<Vec<String>> {
        let paths = MapPaths::of(self.map());
        let is_glob = text.contains(['*', '?', '[', '{']) && !text.contains(['#', '"']);
        if !is_glob || paths.has(&self.path_input().plain(text, &|path| paths.has(path))) {
            return None;
        }
        let mut globs = self.path_input().globs(text);
        if !text.contains('/') {
            globs.push(format!("**/{text}"));
        }
        globs.iter().find_map(|glob| {
            let matcher = PathMatcher::new(glob);
            // The root is where paths are seen from now on, whatever lies in the user's folder.
            let found = paths.all().filter(|path| matcher.has(path)).map(|path| self.rooted(path));
            let found: Vec<String> = found.collect();
            (!found.is_empty()).then_some(found)
        })
    }

    /// A path from the root, as a user would write it who is in another folder.
    fn rooted(self, path: &str) -> String {
        let root = self.path_input().plain(path, &|it| self.number(it).is_some());
        if root == path {
            return path.to_owned();
        }
        self.path_input().absolute(path)
    }

    /// The declarations that a target means; of a file that declares nothing, the file.
    pub fn find(self, target: &Target) -> Result<Vec<Focus>, TargetError> {
        self.begins_at_one(target)?;
        match target {
            Target::Place(path, line, column) => self.at(path, *line, *column),
            Target::Lines(path, from, to) => self.between(path, *from, *to),
            Target::File(path) => {
                let Some(file) = self.number(path) else { return self.folder(path) };
                let facts = self.file(file);
                if facts.is_none() {
                    self.permitted(file)?;
                }
                let items = facts.iter().flat_map(|facts| facts.items.iter().zip(0u32..));
                let own = items.filter(|(item, _)| item.parent == NONE);
                let mut own: Vec<u32> = own.map(|(_, item)| item).collect();
                if own.is_empty() {
                    let text = self.shown(file);
                    text.ok_or_else(|| TargetError::NoText { path: path.clone() })?;
                    own.push(NONE);
                }
                let focus = |item| Focus { place: Place { file, item }, at: None };
                Ok(own.into_iter().map(focus).collect())
            }
            Target::Named(path, name) => {
                let file = self.known(path)?;
                self.named(file, path, name)
            }
            Target::Name(name) => {
                let found = self.by_any_name(name)?;
                if !found.is_empty() {
                    return Ok(found);
                }
                if self.looks_like_file(name) {
                    return Err(self.no_file(name));
                }
                let near = bare_name(name).unwrap_or_else(|| name.clone());
                let mut similar = targets(named_like(self.0, &near).iter());
                similar.truncate(MOST_NAMED);
                Err(TargetError::NoDeclaration { name: name.clone(), similar })
            }
        }
    }

    /// What a name means as it is written, or without what people write around it.
    fn by_any_name(self, name: &str) -> Result<Vec<Focus>, TargetError> {
        let found = self.by_path_and_name(name)?;
        if !found.is_empty() {
            return Ok(found);
        }
        if name.starts_with("impl") {
            let extensions = extensions_as(self.0, name).into_iter().filter_map(|(path, item)| {
                let place = Place { file: self.number(&path)?, item };
                Some(Focus { place, at: None })
            });
            let found: Vec<Focus> = extensions.take(MOST_NAMED).collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        match bare_name(name) {
            Some(bare) => self.by_path_and_name(&dotted(&bare)),
            None => Ok(found),
        }
    }

    /// What a name means: a declaration, a member that a class inherits, or a declaration of the file or folder that the
    /// first parts of the name are.
    fn by_path_and_name(self, name: &str) -> Result<Vec<Focus>, TargetError> {
        let sharing = sharing_last_part(self.0, name);
        let found = self.one_of(name, of_name(sharing.clone(), name))?;
        let found = if found.is_empty() { self.inherited(name) } else { found };
        if found.is_empty() { self.one_of(name, in_path(sharing, name)) } else { Ok(found) }
    }

    /// Whether a name ends as a file of the repository does, or several files are called so.
    fn looks_like_file(self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
        let paths = MapPaths::of(self.map());
        ending.is_some_and(|ending| paths.all().any(|path| path.ends_with(&ending)))
            || !self.path_input().nearest(name, &paths).others.is_empty()
    }

    /// The declarations that have a name, where they are few.
    pub(crate) fn called(self, name: &str) -> Vec<Focus> {
        self.by_name(name).unwrap_or_default()
    }

    /// The declarations of a name, wherever they are: few, or none at all.
    fn by_name(self, name: &str) -> Result<Vec<Focus>, TargetError> {
        self.one_of(name, declared_as(self.0, name))
    }

    /// The places of some declarations that a name may mean, if they are few. Overloads are one.
    fn one_of(self, name: &str, all: Vec<NamedDeclaration>) -> Result<Vec<Focus>, TargetError> {
        let mut all = if all.iter().all(|it| it.is_local) { all } else { not_local(all) };
        // Who names more than the class knows more than the class.
        for it in
            all.iter_mut().filter(|it| name.len() > it.name.len() && is_called(&it.full, name))
        {
            name.clone_into(&mut it.name);
        }
        let is_own =
            |it: &&NamedDeclaration| it.is_exported && (!it.is_member() || name.contains('.'));
        let mut own: Vec<&NamedDeclaration> = all.iter().filter(is_own).collect();
        if own.is_empty() {
            own = all.iter().collect();
        }
        if targets(own.iter().copied()).len() > MOST_NAMED {
            let mut similar = targets(self.by_use(&all).into_iter());
            let more = similar.len().saturating_sub(MOST_NAMED);
            similar.truncate(MOST_NAMED);
            let similar = grouped(&similar);
            return Err(TargetError::Ambiguous { name: name.to_owned(), similar, more });
        }
        let focus = |it: &NamedDeclaration| {
            let place = Place { file: self.number(&it.file)?, item: it.item };
            Some(Focus { place, at: None })
        };
        Ok(own.into_iter().filter_map(focus).collect())
    }

    /// Declarations in their order, members of what more files name before others of the same kind of file.
    fn by_use(self, all: &[NamedDeclaration]) -> Vec<&NamedDeclaration> {
        let owner = |it: &NamedDeclaration| {
            let (owner, _) = it.name.rsplit_once('.').unwrap_or_default();
            owner.rsplit('.').next().unwrap_or(owner).to_owned()
        };
        let owners: BTreeSet<String> = all.iter().map(owner).filter(|it| !it.is_empty()).collect();
        let words: Vec<&str> = owners.iter().map(String::as_str).take(MOST_OWNERS).collect();
        let counts = files_with(self.0, &words);
        let uses = |it: &NamedDeclaration| {
            let own = owner(it);
            let at = words.binary_search(&own.as_str()).ok();
            at.and_then(|at| counts.get(at)).copied().unwrap_or_default()
        };
        let mut ordered: Vec<&NamedDeclaration> = all.iter().collect();
        ordered
            .sort_by_cached_key(|it| (it.file_rank(), it.is_member(), std::cmp::Reverse(uses(it))));
        ordered
    }

    /// What `Class.member` means where a class of that name inherits it.
    fn inherited(self, name: &str) -> Vec<Focus> {
        let Some((owner, member)) = name.rsplit_once('.') else { return Vec::new() };
        let owners = self.by_name(owner).unwrap_or_default();
        let owners: Vec<Place> = owners.iter().map(|focus| focus.place).collect();
        let found = self.members(&owners, member).into_iter();
        found.map(|place| Focus { place, at: None }).take(MOST_NAMED).collect()
    }

    /// The declarations of all files below a folder.
    fn folder(self, path: &str) -> Result<Vec<Focus>, TargetError> {
        let files = self.below(path);
        if files.is_empty() {
            return Err(self.no_file(path));
        }
        let mut found = Vec::new();
        for file in files {
            let facts = self.file(file).unwrap_or_default();
            let own = facts.items.iter().zip(0u32..).filter(|(item, _)| item.parent == NONE);
            let focus = |(_, item)| Focus { place: Place { file, item }, at: None };
            found.extend(own.map(focus));
        }
        if found.is_empty() {
            return Err(TargetError::NoText { path: path.to_owned() });
        }
        Ok(found)
    }

    fn known(self, path: &str) -> Result<FileId, TargetError> {
        self.number(path).ok_or_else(|| self.no_file(path))
    }

    /// A file with its text, also where it declares nothing.
    pub(crate) fn readable(self, path: &str) -> Result<(FileId, Arc<Loaded>), TargetError> {
        let file = self.known(path)?;
        if let Some(loaded) = self.shown(file) {
            return Ok((file, loaded));
        }
        self.permitted(file)?;
        Err(TargetError::NoText { path: path.to_owned() })
    }

    /// That there is no such file, with those that look like it, or that it is not to be seen.
    pub(crate) fn no_file(self, path: &str) -> TargetError {
        if self.map().excluded.has(&path.into()) {
            return TargetError::Hidden { path: path.to_owned() };
        }
        let paths = MapPaths::of(self.map());
        let mut others = self.path_input().nearest(path, &paths).others;
        if !others.is_empty() {
            others.truncate(MOST_NAMED);
            return TargetError::Files { path: path.to_owned(), similar: others };
        }
        let similar = similar_files(path, paths.all(), 3);
        TargetError::NoFile { path: path.to_owned(), similar }
    }

    /// Tells of a file that may hold secrets: it looks as if it were empty.
    fn permitted(self, file: FileId) -> Result<(), TargetError> {
        match self.denial(file) {
            Some(rule) => Err(TargetError::Denied {
                path: self.path(file),
                reason: format!("it may hold secrets (rule `{rule}`)"),
            }),
            None => Ok(()),
        }
    }

    fn at(self, path: &str, line: u32, column: Option<u32>) -> Result<Vec<Focus>, TargetError> {
        let file = self.known(path)?;
        let nothing = || TargetError::Nothing { path: path.to_owned(), line };
        let Some(loaded) = self.load(file) else {
            self.permitted(file)?;
            return Err(nothing());
        };
        let at = if let Some(column) = column {
            loaded.lines.offset(&loaded.text, line, column)
        } else {
            let content = loaded.lines.text(&loaded.text, line);
            let indent = content.len() - content.trim_start().len();
            loaded.lines.span(line).start + indent as u32
        };
        let (outer, member) = enclosing(&loaded.facts, at).ok_or_else(nothing)?;
        let line = loaded.lines.span(line);
        let only = || only_member(&loaded.facts, outer, line).filter(|_| column.is_none());
        let item = member.or_else(only).unwrap_or(outer);
        Ok(vec![Focus { place: Place { file, item }, at: Some(at) }])
    }

    /// The declarations that lines touch: of one that has them all, the members.
    fn between(self, path: &str, from: u32, to: u32) -> Result<Vec<Focus>, TargetError> {
        let file = self.known(path)?;
        let nothing = || TargetError::Nothing { path: path.to_owned(), line: from };
        let Some(loaded) = self.load(file) else {
            self.permitted(file)?;
            return Err(nothing());
        };
        let lines = |item: u32| {
            let span = loaded.facts.item(item).map(|it| it.span).unwrap_or_default();
            (loaded.lines.of(span.start), loaded.lines.last_of(span))
        };
        let touches = |item: &u32| {
            let (first, last) = lines(*item);
            first <= to && from <= last
        };
        let items = loaded.facts.items.iter().zip(0u32..);
        let own = items.filter(|(item, _)| item.parent == NONE).map(|(_, number)| number);
        let mut found: Vec<u32> = own.filter(touches).collect();
        if let [only] = found[..]
            && lines(only).0 < from
            && to < lines(only).1
            && let Some(item) = loaded.facts.item(only)
        {
            let members = loaded.facts.list(item.members).iter().copied();
            let members: Vec<u32> = members.filter(touches).collect();
            found = if members.is_empty() { found } else { members };
        }
        let focus = |item: u32| Focus { place: Place { file, item }, at: None };
        let found: Vec<Focus> = found.into_iter().map(focus).collect();
        if found.is_empty() { Err(nothing()) } else { Ok(found) }
    }

    fn named(self, file: FileId, path: &str, name: &str) -> Result<Vec<Focus>, TargetError> {
        let facts = self.file(file);
        if facts.is_none() {
            self.permitted(file)?;
        }
        let facts = facts.unwrap_or_default();
        let mut found = self.reached(file, &facts, name);
        if found.is_empty() {
            found = self.inside(file, path, &facts, name)?;
        }
        if found.is_empty()
            && let Some(bare) = bare_name(name)
        {
            let bare = dotted(&bare);
            found = self.reached(file, &facts, &bare);
            if found.is_empty() {
                found = self.inside(file, path, &facts, &bare)?;
            }
        }
        if found.is_empty() {
            // What has no name of its own cannot be asked for by one.
            let named = facts.items.iter().filter(|it| !facts.name(it.name).is_empty());
            // Members are listed with their class, so that a misspelling of either part is found.
            let names: BTreeSet<String> = named.map(|item| full_name(&facts, item)).collect();
            let similar = nearest(name, &names);
            let similar = similar.into_iter().map(|name| format!("{path}#{name}")).collect();
            return Err(TargetError::NoDeclaration { name: name.to_owned(), similar });
        }
        Ok(found.into_iter().map(|place| Focus { place, at: None }).collect())
    }

    /// What a name means from the outside of a file: its own declarations, what it exports, and their members.
    fn reached(self, file: FileId, facts: &Declarations, name: &str) -> Vec<Place> {
        let mut names = name.split('.');
        let outer = names.next().unwrap_or_default();
        let tops = facts.items.iter().zip(0u32..);
        let tops = tops.filter(|(it, _)| it.parent == NONE && facts.name(it.name) == outer);
        let mut found: Vec<Place> = tops.map(|(_, item)| Place { file, item }).collect();
        if found.is_empty() {
            // What is added to other modules, or to all, goes by its own name.
            let is_it = |it: &Declaration| {
                facts.name(it.name) == outer
                    && facts.item(it.parent).is_some_and(Declaration::is_module)
            };
            let added = facts.items.iter().zip(0u32..).filter(|(it, _)| is_it(it));
            found = added.map(|(_, item)| Place { file, item }).collect();
        }
        if found.is_empty() {
            found = self.exported(file, outer, &mut names);
        }
        for member in names {
            found = self.members(&found, member);
        }
        let is_extension = |place: &Place| {
            let facts = self.file(place.file);
            let kind = facts.as_ref().and_then(|it| it.item(place.item)).map(|it| it.kind);
            kind == Some(DeclarationKind::Extension)
        };
        // What extends it comes with what it needs.
        if !found.iter().all(is_extension) {
            found.retain(|place| !is_extension(place));
        }
        found
    }

    /// What a name means inside of a file, whatever is around it: `command.go#Execute` is `Command.Execute`, and a function
    /// in a function has the name that a search prints.
    fn inside(
        self,
        file: FileId,
        path: &str,
        facts: &Declarations,
        name: &str,
    ) -> Result<Vec<Place>, TargetError> {
        let numbered = facts.items.iter().zip(0u32..);
        let numbered = numbered.filter(|(it, _)| it.kind != DeclarationKind::Statement);
        let own = name.rsplit('.').next().unwrap_or(name);
        let may_be = |it: &Declaration| facts.name(it.name).ends_with(own.trim_start_matches('#'));
        let whole: Vec<(u32, String)> = numbered
            .filter(|(it, _)| may_be(it))
            .map(|(_, number)| (number, whole_name(facts, number)))
            .collect();
        let ways: [&dyn Fn(&str) -> bool; 2] =
            [&|whole| is_called(whole, name), &|whole| is_nearly_called(whole, name)];
        let mut found: Vec<&(u32, String)> = ways
            .iter()
            .map(|is_it| whole.iter().filter(|(_, whole)| is_it(whole)).collect::<Vec<_>>())
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        // A variable of a body is meant only where nothing else has the name.
        let is_told = |(number, _): &&(u32, String)| facts.item(*number).is_some_and(is_named);
        if found.iter().any(is_told) {
            found.retain(is_told);
        }
        let names: BTreeSet<&str> = found.iter().map(|(_, whole)| whole.as_str()).collect();
        if names.len() > MOST_NAMED {
            let targets: Vec<String> = names.iter().map(|name| format!("{path}#{name}")).collect();
            let more = targets.len().saturating_sub(MOST_NAMED);
            let similar = grouped(targets.get(..MOST_NAMED).unwrap_or_default());
            return Err(TargetError::Ambiguous { name: name.to_owned(), similar, more });
        }
        let mut found: Vec<Place> =
            found.into_iter().map(|(item, _)| Place { file, item: *item }).collect();
        if found.is_empty()
            && let Some((owner, member)) = name.rsplit_once('.')
        {
            let owners = self.inside(file, path, facts, owner).unwrap_or_default();
            found = self.members(&owners, member);
        }
        Ok(found)
    }

    /// What a file exports under a name. Of a module that it passes on under a name, the next of the names is meant.
    fn exported<'n>(
        self,
        file: FileId,
        name: &str,
        rest: &mut impl Iterator<Item = &'n str>,
    ) -> Vec<Place> {
        let resolver = Resolver::new(self.0);
        let mut definitions = resolver.exported(file, name);
        while definitions.places.is_empty()
            && let Some(module) = definitions.modules.first().copied()
            && let Some(next) = rest.next()
        {
            definitions = resolver.exported(module, next);
        }
        definitions.places
    }

    /// The members of declarations that have a name: their own, else those that they inherit.
    fn members(self, of: &[Place], name: &str) -> Vec<Place> {
        let own = of.iter().flat_map(|place| {
            let facts = self.file(place.file).unwrap_or_default();
            let members = facts.item(place.item).map(|outer| outer.members).unwrap_or_default();
            let is_it = |it: &&u32| facts.item(**it).is_some_and(|it| facts.name(it.name) == name);
            let own = facts.list(members).iter().filter(is_it);
            own.map(|item| Place { item: *item, ..*place }).collect::<Vec<_>>()
        });
        let own: Vec<Place> = own.collect();
        if !own.is_empty() {
            return own;
        }
        let resolver = Resolver::new(self.0);
        let inherited = of.iter().flat_map(|place| resolver.inherited_members(*place, name));
        inherited.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// What a target means, else the only declaration that may be meant by it, and that as a target.
    pub(crate) fn find_meant(
        self,
        target: &Target,
    ) -> Result<(Vec<Focus>, Option<String>), TargetError> {
        match self.find(target) {
            Err(error @ TargetError::NoDeclaration { .. }) => match self.only_meant(target) {
                Some((meant, found)) => Ok((found, Some(meant))),
                None => Err(error),
            },
            found => found.map(|found| (found, None)),
        }
    }

    /// The only declaration that may be meant by a name that its file does not have: one of that name in the file, whatever
    /// it is a member of, else one in another file. As a target, with what it means.
    pub(crate) fn only_meant(self, target: &Target) -> Option<(String, Vec<Focus>)> {
        let (Target::Named(_, name) | Target::Name(name)) = target else { return None };
        let name = bare_name(name).map_or_else(|| name.clone(), |bare| dotted(&bare));
        let asked: Vec<&str> = name.split('.').collect();
        let own = asked.last().copied().unwrap_or_default();
        let only = |found: Vec<NamedDeclaration>| {
            let mut all = targets(found.iter());
            if all.len() == 1 { all.pop() } else { None }
        };
        let in_file = || {
            let Target::Named(path, _) = target else { return None };
            let facts = self.file(self.number(path)?)?;
            let called = facts.items.iter().filter(|it| facts.name(it.name) == own);
            let full = called.filter(|it| is_named(it)).map(|it| full_name(&facts, it));
            let full: BTreeSet<String> = full.collect();
            let name = full.first().filter(|_| full.len() == 1)?;
            Some(format!("{path}#{name}"))
        };
        // The more of the last parts of the name it has, the likelier it is meant.
        let elsewhere = || {
            let all = not_local(sharing_last_part(self.0, &name));
            let most = all.iter().map(|it| it.shared_parts(&asked)).max()?;
            let found = all.into_iter().filter(|it| it.shared_parts(&asked) == most);
            only(found.collect())
        };
        let is_path =
            |it: &String| it.split_once('#').is_some_and(|(path, _)| self.number(path).is_some());
        let meant = in_file().or_else(elsewhere).filter(is_path)?;
        let (path, name) = meant.split_once('#')?;
        let found = self.named(self.number(path)?, path, name).ok()?;
        Some((meant, found))
    }
}
