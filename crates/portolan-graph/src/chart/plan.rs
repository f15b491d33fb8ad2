//! The strokes that make a chart, most wanted first.

use super::tree::{ROOT, Tree};
use super::{ChartRequest, Level};

/// A folder with at most this many files of code is small enough to be read as one line.
const SMALL: u32 = 60;
/// The heads of a file's declarations are shown for one file in so many tokens of the budget.
const HEADED: u64 = 400;

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
        strokes.extend(splits(tree).into_iter().take(skeleton));
        let first = request.asked.max(detailed).min(request.order.len());
        strokes.extend(show(&request.order[..first], Level::Described));
        // Who asks for a few files by name wants to know what is in them before what is elsewhere.
        if request.asked <= headed {
            strokes.extend(show(&request.order[..request.asked], Level::Headed));
        }
    } else {
        let splits = overview(request, tree);
        let uses = splits.iter().filter_map(|stroke| match stroke {
            Stroke::Open(folder) => Some(Stroke::Uses(*folder)),
            Stroke::Uses(_) | Stroke::Show(..) => None,
        });
        strokes.extend(splits.iter().copied().chain(uses));
    }
    let is_code = |file: &&u32| request.files[**file as usize].is_code;
    strokes
        .extend(request.order.iter().filter(is_code).map(|file| Stroke::Show(*file, Level::Named)));
    let others = request.order.iter().filter(|file| !is_code(file));
    strokes.extend(others.map(|file| Stroke::Show(*file, Level::Named)));
    strokes.extend(show(request.order, Level::Described));
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
fn overview(request: &ChartRequest<'_>, tree: &Tree<'_>) -> Vec<Stroke> {
    let is_package = |at: &u32| {
        let files = &tree.folders[*at as usize].files;
        files.iter().any(|file| request.files[*file as usize].is_manifest)
    };
    let mut packages: Vec<u32> = (1..tree.folders.len() as u32).filter(is_package).collect();
    heaviest_first(tree, &mut packages);
    let mut packages = packages.into_iter().map(Stroke::Open);
    let mut splits = splits(tree).into_iter();
    let mut is_open = vec![false; tree.folders.len()];
    let mut strokes = Vec::new();
    loop {
        let (package, split) = (packages.next(), splits.next());
        if package.is_none() && split.is_none() {
            return strokes;
        }
        strokes.extend(package.into_iter().chain(split).filter(|stroke| match stroke {
            Stroke::Open(at) => !std::mem::replace(&mut is_open[*at as usize], true),
            Stroke::Uses(_) | Stroke::Show(..) => true,
        }));
    }
}

/// Folders to open so that none is large, the heaviest first.
fn splits(tree: &Tree<'_>) -> Vec<Stroke> {
    let is_large = |at: u32| tree.folders[at as usize].all.code > SMALL;
    let mut open: Vec<u32> = (1..tree.folders.len() as u32)
        .filter(|at| {
            let parent = tree.folders[*at as usize].parent;
            parent == ROOT || is_large(parent)
        })
        .collect();
    heaviest_first(tree, &mut open);
    open.into_iter().map(Stroke::Open).collect()
}

fn heaviest_first(tree: &Tree<'_>, folders: &mut [u32]) {
    folders.sort_by_key(|at| (std::cmp::Reverse(tree.folders[*at as usize].all.weight()), *at));
}
