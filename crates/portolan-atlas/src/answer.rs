//! Answers agents' questions about an atlas, in the same form as for one repository.

use std::collections::BTreeMap;

use portolan_wire::question::{Budget, ChartQuestionV1, LookQuestionV1, QuestionV1};

use crate::look::parse_target;
use crate::{Atlas, AtlasError};

/// The default token budget of an answer.
const BUDGET: u64 = 4_000;
/// The tokens of an answer's digest.
const DIGEST: u64 = 16;
/// The most declarations of a name to show.
const MOST_FOUND: usize = 50;

impl Atlas {
    /// Answers `chart`, or `look` for packages, their exports and names of declarations.
    pub fn answer(&self, question: &QuestionV1) -> Result<String, AtlasError> {
        let room =
            |budget: &Option<Budget>| budget.map_or(BUDGET, Budget::tokens).saturating_sub(DIGEST);
        match question {
            QuestionV1::Chart(ChartQuestionV1 { budget, .. }) => {
                Ok(self.chart().to_text(room(budget)))
            }
            QuestionV1::Look(LookQuestionV1 { targets, budget, .. }) => {
                // Each target gets an equal share.
                let share = room(budget) / targets.len().max(1) as u64;
                let seen = targets.iter().map(|target| match parse_target(target) {
                    Ok(target) => self.look(&target).map(|look| look.to_text(share)),
                    Err(_) => self.find(target, MOST_FOUND).map(|found| found.to_text(share)),
                });
                seen.collect()
            }
            _ => Err(AtlasError::NeedsCheckout),
        }
    }

    /// The sets behind the answers: the digest of each repository's set, by its id.
    pub fn sources(&self) -> BTreeMap<String, String> {
        self.repositories().iter().map(|it| (it.id.clone(), it.digest.clone())).collect()
    }
}
