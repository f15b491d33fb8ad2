//! The token budgets of answers: the default of each question, and the bounds.

use portolan_wire::question::{Budget, NeedsMode, PackQuestionV1, QuestionV1, ReadQuestionV1};

use crate::pack::{FAILURE_BUDGET, TASK_BUDGET};
use crate::read::expanded;

/// The budget of questions that show code.
pub const DEFAULT_BUDGET: u64 = 4_000;
/// The budget of a read of several declarations. Agents that may name any number of functions name more than they need, and
/// the last line says how to read on. With 2,000 tokens two of three functions that were asked for were cut right before the
/// lines to edit, so each was read twice.
pub(super) const SEVERAL_BUDGET: u64 = 3_000;
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
        QuestionV1::Read(question) => of_read(question),
        QuestionV1::Pack(question) if question.failure.is_some() => FAILURE_BUDGET,
        QuestionV1::Pack(question) if is_task(question) => TASK_BUDGET,
        QuestionV1::Pack(_) | QuestionV1::Impact(_) | QuestionV1::Select(_) => DEFAULT_BUDGET,
    }
}

/// Whether a pack is asked for a task alone.
fn is_task(question: &PackQuestionV1) -> bool {
    question.task.is_some() && question.changed.is_none() && question.at.is_empty()
}

/// The budget of a read that names none. Lines that are asked for by number are shown.
pub(super) fn of_read(question: &ReadQuestionV1) -> u64 {
    let is_by_number = |target: &String| {
        let lines = target.rsplit_once(':').map(|(_, lines)| lines);
        lines.is_some_and(|lines| lines.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_several =
        question.targets.iter().map(|target| expanded(target).len()).sum::<usize>() > 1;
    let has_needs = question.needs.unwrap_or_default() != NeedsMode::None;
    let is_more = question.all || has_needs || question.users;
    if is_several && !is_more && !question.targets.iter().any(is_by_number) {
        SEVERAL_BUDGET
    } else {
        DEFAULT_BUDGET
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

#[cfg(test)]
mod tests {
    use portolan_wire::question::{PackQuestionV1, QuestionV1, ReadQuestionV1};

    use super::{DEFAULT_BUDGET, SEVERAL_BUDGET, TASK_BUDGET, of_read, usual};

    #[test]
    fn a_task_alone_has_a_small_budget() {
        let pack = |at: &[&str]| {
            let at = at.iter().map(ToString::to_string).collect();
            let task = Some("make links time out".to_owned());
            usual(&QuestionV1::Pack(PackQuestionV1 { task, at, ..PackQuestionV1::default() }))
        };
        assert_eq!(pack(&[]), TASK_BUDGET);
        assert_eq!(pack(&["src/a.ts"]), DEFAULT_BUDGET);
    }

    #[test]
    fn several_declarations_share_a_smaller_budget() {
        let read = |targets: &[&str]| {
            let targets = targets.iter().map(ToString::to_string).collect();
            of_read(&ReadQuestionV1 { targets, ..ReadQuestionV1::default() })
        };
        assert_eq!(read(&["a.py#f"]), DEFAULT_BUDGET);
        assert_eq!(read(&["a.py#A.{f,g}"]), SEVERAL_BUDGET);
        assert_eq!(read(&["a.py#f", "g"]), SEVERAL_BUDGET);
        assert_eq!(read(&["a.py#f", "a.py:10-300"]), DEFAULT_BUDGET);
    }
}
