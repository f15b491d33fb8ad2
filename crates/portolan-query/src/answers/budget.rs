//! The token budgets of answers: what each question gets where nobody says, and the bounds.

use portolan_wire::question::{Budget, QuestionV1};

/// The budget of questions that show code.
pub const DEFAULT_BUDGET: u64 = 4_000;
/// The budget of questions that list places: what an agent reads at a glance.
pub const LIST_BUDGET: u64 = 1_000;
/// The budget of a chart: one screen.
const SCREEN_BUDGET: u64 = 800 + FRAME_TOKENS;
/// The most that an agent may ask for. Its program moves longer answers out of its sight.
pub const MOST_BUDGET: u64 = 20_000;
/// What the first line and the last one may cost.
pub(crate) const FRAME_TOKENS: u64 = 80;

/// The budget of a question that names none.
pub(super) fn usual(question: &QuestionV1) -> u64 {
    match question {
        QuestionV1::Search(_) | QuestionV1::Look(_) | QuestionV1::Path(_) => LIST_BUDGET,
        QuestionV1::Chart(_) => SCREEN_BUDGET,
        QuestionV1::Read(_)
        | QuestionV1::Pack(_)
        | QuestionV1::Impact(_)
        | QuestionV1::Select(_) => DEFAULT_BUDGET,
    }
}

/// The budget of a question.
pub(super) fn budget_of(question: &QuestionV1) -> u64 {
    match question {
        // Its budget is that of what is selected.
        QuestionV1::Select(_) => usual(question),
        _ => question.clone().budget_mut().map_or_else(|| usual(question), Budget::tokens),
    }
}
