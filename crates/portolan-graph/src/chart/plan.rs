//! The strokes that make a chart, most wanted first.


use super::tree::{ROOT, Tree};
use super::{ChartRequest, Level};

/// A folder with at most this many files of code is small enough to be read as one line.
const SMALL: u32 = 60;
/// The heads of a file's declarations are shown for one file in so many tokens of the budget.
const HEADED: u64 = 400;
/// Without a question one folder in so many tokens of the budget has a line before any says what it uses…
const OVERVIEW: u64 = 60;
/// … and at least so many, so that a small budget names the packages of a monorepo.
const PACKAGES: usize = 64;

/// One thing more to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A line for a folder.
    Open(u32),
    /// The folders that a folder uses most, where nothing else of it is shown.
    Uses(u32),
    /// A file at a level.
    Show(u32, Level),
}

/// Every stroke there is, in order.
pub(super) fn strokes(request: &ChartRequest<'_>, tree: &Tree<'_>) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let detailed = usize::try_from(request.budget / 1000).unwrap_or(usize::MAX);
    let headed = usize::try_from(request.budget / HEADED).unwrap_or(usize::MAX);
    if request.has_question {
        // A few lines to see where everything is, then what was asked for, best first.
        let skeleton = usize::try_from(request.budget / 150).unwrap_or(usize::MAX);
        strokes.extend(splits(tree).into_iter().take(skeleton).map(Stroke::Open));
        let first = request.asked.max(detailed).min(request.order.len());
        // Who asks for a folder wants to know all that is in it before more of some.
        if request.asked > detailed {
            strokes.extend(show(&request.order[..request.asked], Level::Named));
        }
        strokes.extend(show(&request.order[..first], Level::Described));
        // Who asks for a few files by name wants to know what is in them before what is elsewhere.
        if request.asked <= headed {
            strokes.extend(show(&request.order[..request.asked], Level::Headed));
        }
    } else {
        let mut folders = overview(request, tree).into_iter();
        let lines = usize::try_from(request.budget / OVERVIEW).unwrap_or(usize::MAX).max(PACKAGES);
        let first: Vec<u32> = folders.by_ref().take(lines).collect();
        strokes.extend(first.iter().map(|folder| Stroke::Open(*folder)));
        // Then what each uses, in turn with the folders that are left.
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
    let is_code = |file: &&u32| request.files[**file as usize].is_code;
    strokes
        .extend(request.order.iter().filter(is_code).map(|file| Stroke::Show(*file, Level::Named)));
    let others = request.order.iter().filter(|file| !is_code(file));
    strokes.extend(others.map(|file| Stroke::Show(*file, Level::Named)));
    // With all names there, what each costs is worth more than all about a few, and so on.
    for level in [Level::Costed, Level::Linked, Level::Described] {
        strokes.extend(show(request.order, level));
    }
    if request.has_question {
        let first = request.asked.max(headed).min(request.order.len());
        strokes.extend(show(&request.order[..first], Level::Headed));
    }
    strokes
}

fn show(files: &[u32], level: Level) -> impl Iterator<Item = Stroke> + '_ {
    files.iter().map(move |file| Stroke::Show(*file, level))
}

/// What is here: packages and large folders in turn, of each the heaviest first. A package is what a reader knows
/// by name, however small it is; in a monorepo the large folders of a few would hide the others.
fn overview(request: &ChartRequest<'_>, tree: &Tree<'_>) -> Vec<u32> {
    let is_package = |at: &u32| {
        let files = &tree.folders[*at as usize].files;
        files.iter().any(|file| request.files[*file as usize].is_manifest)
    };
    let mut packages: Vec<u32> = (1..tree.folders.len() as u32).filter(is_package).collect();
    heaviest_first(tree, &mut packages);
    let splits = splits(tree);
    let mut is_open = vec![false; tree.folders.len()];
    let both = (0..packages.len().max(splits.len()))
        .flat_map(|at| packages.get(at).into_iter().chain(splits.get(at)));
    both.copied().filter(|at| !std::mem::replace(&mut is_open[*at as usize], true)).collect()
}

/// Folders to open so that none is large, the heaviest first.
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
