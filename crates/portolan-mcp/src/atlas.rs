//! Questions of a root that is an atlas: of many repositories at once.

use std::ffi::OsStr;
use std::path::Path;

use portolan_atlas::{Atlas, Store, parse_target};
use portolan_engine::{FileKind, System};
use portolan_wire::question::{ChartQuestionV1, LookQuestionV1, QuestionV1};

/// The tokens of an answer where nobody says.
const BUDGET: u64 = 4_000;
/// So many declarations of a name are shown.
const MOST_FOUND: usize = 50;

/// Whether a folder is an atlas: it has the rows that make sets current, and is no repository.
pub(crate) fn is_atlas(disk: &dyn System, folder: &Path) -> bool {
    let rows = folder.join("repository");
    let is_folder = disk.lstat(&rows).is_ok_and(|stat| stat.kind == FileKind::Dir);
    let is_row = |name: &OsStr| Path::new(name).extension().is_some_and(|it| it == "parquet");
    is_folder
        && disk.lstat(&folder.join(".git")).is_err()
        && disk.read_dir(&rows).is_ok_and(|names| names.iter().any(|it| is_row(&it.name)))
}

/// Answers a question of an atlas. The error is for the model to read.
pub(crate) fn answer(folder: &Path, question: &QuestionV1) -> Result<String, String> {
    let told = |error: portolan_atlas::AtlasError| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    let address = folder.to_str().ok_or_else(|| "the atlas's path is not UTF-8".to_owned())?;
    let atlas = Store::open(address, &[]).and_then(Atlas::open).map_err(told)?;
    match question {
        QuestionV1::Chart(ChartQuestionV1 { budget, .. }) => {
            Ok(atlas.chart().to_text(budget.unwrap_or(BUDGET)))
        }
        QuestionV1::Look(LookQuestionV1 { targets, budget, .. }) => {
            // Each target gets its share.
            let share = budget.unwrap_or(BUDGET) / targets.len().max(1) as u64;
            let mut text = String::new();
            for target in targets {
                let seen = match parse_target(target) {
                    Ok(target) => atlas.look(&target).map(|look| look.to_text(share)),
                    Err(_) => atlas.find(target, MOST_FOUND).map(|found| found.to_text(share)),
                };
                text.push_str(&seen.map_err(told)?);
            }
            Ok(text)
        }
        QuestionV1::Read(_) | QuestionV1::Pack(_) => Err(
            "this root is an atlas of many repositories: ask chart, or look with targets such as npm:zod, \
             npm:zod#ZodError or a declaration's name; read and pack need a checkout as root"
                .to_owned(),
        ),
    }
}
