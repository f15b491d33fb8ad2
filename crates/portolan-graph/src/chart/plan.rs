//! Plans the strokes of a chart, most important first.

use super::tree::{ROOT, Tree};
use super::{ChartRequest, Level};
use portolan_types::FileId;

/// A folder with at most this many code files needs no split.
const SMALL: u32 = 60;
/// One file per this many tokens of the budget shows its signatures.
const HEADED: u64 = 400;
/// Without a question, one folder per this many tokens of the budget gets a line before any folder
/// shows its dependencies…
const OVERVIEW: u64 = 60;
/// … and at least this many folders, so that a small budget names the packages of a monorepo.
const PACKAGES: usize = 64;

/// A step of drawing: one more thing to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A line for a folder.
    Open(u32),
    /// The folders that a folder uses most, if it shows nothing else.
    Uses(u32),
    /// A file at a level.
    Show(FileId, Level),
}

/// All strokes, in order.
pub(super) fn strokes(request: &ChartRequest<'_>, tree: &Tree<'_>) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let detailed = usize::try_from(request.budget / 1000).unwrap_or(usize::MAX);
    let headed = usize::try_from(request.budget / HEADED).unwrap_or(usize::MAX);
    if request.has_question {
        // First a skeleton of folders, then the requested files, best first.
        let skeleton = usize::try_from(request.budget / 150).unwrap_or(usize::MAX);
        strokes.extend(splits(tree).into_iter().take(skeleton).map(Stroke::Open));
        let first = request.asked.max(detailed).min(request.order.len());
        // If the user names a folder, show all of its files before details of some.
        if request.asked > detailed {
            strokes.extend(show(&request.order[..request.asked], Level::Named));
        }
        strokes.extend(show(&request.order[..first], Level::Described));
        // If the user names a few files, show their content before anything else.
        if request.asked <= headed {
            strokes.extend(show(&request.order[..request.asked], Level::Headed));
        }
    } else {
        let mut folders = overview(request, tree).into_iter();
        let lines = usize::try_from(request.budget / OVERVIEW).unwrap_or(usize::MAX).max(PACKAGES);
        let first: Vec<u32> = folders.by_ref().take(lines).collect();
        strokes.extend(first.iter().map(|folder| Stroke::Open(*folder)));
        // Then the dependencies of each, alternating with the remaining folders.
        let mut told = Vec::new();
        for folder in first {
            strokes.push(Stroke::Uses(folder));
            if let Some(next) = folders.next() {
                strokes.push(Stroke::Open(next));
                told.push(next);
            }
        }
        let rest: Vec<u32> = folders.collect();
        strokes.extend(rest.iter().map(|folder| Stroke::Open(*folder)));
        strokes.extend(told.into_iter().chain(rest).map(Stroke::Uses));
    }
    let is_code = |file: &&FileId| request.files[file.index()].is_code;
    strokes
        .extend(request.order.iter().filter(is_code).map(|file| Stroke::Show(*file, Level::Named)));
    let others = request.order.iter().filter(|file| !is_code(file));
    strokes.extend(others.map(|file| Stroke::Show(*file, Level::Named)));
    // Once all names are shown, the size of every file is worth more than all details of a few, and
    // so on.
    for level in [Level::Costed, Level::Linked, Level::Described] {
        strokes.extend(show(request.order, level));
    }
    if request.has_question {
        let first = request.asked.max(headed).min(request.order.len());
        strokes.extend(show(&request.order[..first], Level::Headed));
    }
    strokes
}

fn show(files: &[FileId], level: Level) -> impl Iterator<Item = Stroke> + '_ {
    files.iter().map(move |file| Stroke::Show(*file, level))
}

/// The overview: packages alternate with large folders, the heaviest first. Readers know packages
/// by name, however small they are; in a monorepo, the large folders of a few packages would hide
/// the others.
fn overview(request: &ChartRequest<'_>, tree: &Tree<'_>) -> Vec<u32> {
    let is_package = |at: &u32| {
        let files = &tree.folders[*at as usize].files;
        files.iter().any(|file| request.files[file.index()].is_manifest)
    };
    let mut packages: Vec<u32> = (1..tree.folders.len() as u32).filter(is_package).collect();
    heaviest_first(tree, &mut packages);
    let splits = splits(tree);
    let mut is_open = vec![false; tree.folders.len()];
    let both = (0..packages.len().max(splits.len()))
        .flat_map(|at| packages.get(at).into_iter().chain(splits.get(at)));
    both.copied().filter(|at| !std::mem::replace(&mut is_open[*at as usize], true)).collect()
}

/// The folders to open so that no shown folder is large, the heaviest first.
fn splits(tree: &Tree<'_>) -> Vec<u32> {
    let is_large = |at: u32| tree.folders[at as usize].all.code > SMALL;
    let mut open: Vec<u32> = (1..tree.folders.len() as u32)
        .filter(|at| {
            let parent = tree.folders[*at as usize].parent;
            parent == ROOT || is_large(parent)
        })
        .collect();
    heaviest_first(tree, &mut open);
    open
}

fn heaviest_first(tree: &Tree<'_>, folders: &mut [u32]) {
    folders.sort_by_key(|at| (std::cmp::Reverse(tree.folders[*at as usize].all.weight()), *at));
}
