//! Notices for people: grouped by code, capped, with the way to see them all.

use std::collections::BTreeMap;

use portolan_types::{Notice, NoticeCode, Severity};

use crate::context::{Context, escape, style};
use portolan_query::text::{thousands, wrapped};

/// How many notices of a code are shown.
const SHOWN: usize = 3;

/// What is said once, however many places it is about.
struct Cause<'a> {
    notice: &'a Notice,
    /// In how many other places the same is so.
    others: u64,
}

/// Notices with the same words are of one cause, told at the first place.
fn causes<'a>(group: &[&'a Notice]) -> Vec<Cause<'a>> {
    let mut causes: Vec<Cause<'a>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for notice in group {
        if let Some(at) = places.get(notice.message.as_str()) {
            causes[*at].others += 1;
            continue;
        }
        places.insert(&notice.message, causes.len());
        causes.push(Cause { notice, others: 0 });
    }
    causes
}

/// Says the notices that have to do with an answer: all but those on how files were read that are not in it. They
/// would be the same for every question, and whoever asks many of them would read them each time.
pub(crate) fn say_of_answer(
    ctx: &mut Context,
    notices: &[Notice],
    is_shown: impl Fn(&str) -> bool,
) {
    let is_near = |notice: &&Notice| {
        let path = notice.place.as_ref().map(|place| place.path.as_str());
        !notice.code.is_request_independent() || path.is_some_and(&is_shown)
    };
    // Every answer from a subfolder has the notice on the root, and paths are from there: JSON has it, people know it.
    let others = notices.iter().filter(|notice| notice.code != NoticeCode::ConfigRoot);
    say(ctx, &others.filter(is_near).cloned().collect::<Vec<_>>());
}

/// Says the notices on stderr.
pub(crate) fn say(ctx: &mut Context, notices: &[Notice]) {
    let mut groups: BTreeMap<NoticeCode, Vec<&Notice>> = BTreeMap::new();
    for notice in notices {
        groups.entry(notice.code).or_default().push(notice);
    }
    let mut capped = false;
    for (code, group) in groups {
        let (head, word) = match code.severity() {
            Severity::Warning => (style::WARNING, "warning"),
            Severity::Info => (style::ACCENT, "note"),
        };
        let dim = style::DIM;
        ctx.say(&format!(
            "{head}{word}{head:#}: {} ({}) {dim}[{}]{dim:#}",
            code.title(),
            thousands(group.len() as u64),
            code.as_str()
        ));
        let causes = causes(&group);
        for Cause { notice, others } in causes.iter().take(SHOWN) {
            let place = notice.place.as_ref().map(ToString::to_string).unwrap_or_default();
            let others = if *others > 0 {
                format!(" and {} more", thousands(*others))
            } else {
                String::new()
            };
            let colon = if place.is_empty() { "" } else { ": " };
            let text =
                format!("  {}", escape(&format!("{place}{others}{colon}{}", notice.message)));
            ctx.say(&wrapped(&text, ctx.stderr_width, 4));
        }
        capped |= causes.iter().any(|cause| cause.others > 0);
        if let Some(rest) = causes.get(SHOWN..).filter(|rest| !rest.is_empty()) {
            capped = true;
            let more: u64 = rest.iter().map(|cause| cause.others + 1).sum();
            ctx.say(&format!("  {dim}… and {} more{dim:#}", thousands(more)));
        }
    }
    if capped {
        let hint = style::ACCENT;
        ctx.say(&format!("{hint}hint{hint:#}: `--format json` lists every notice"));
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::{Notice, NoticeCode, Place};

    use super::causes;

    #[test]
    fn the_same_words_about_many_places_are_one_cause() {
        let notice =
            |path: &str, text: &str| Notice::at(NoticeCode::ScanLink, Place::file(path), text);
        let all =
            [notice("a", "gone"), notice("b", "odd"), notice("c", "gone"), notice("d", "gone")];
        let found = causes(&all.iter().collect::<Vec<_>>());
        let found: Vec<_> =
            found.iter().map(|cause| (&cause.notice.message[..], cause.others)).collect();
        assert_eq!(found, [("gone", 2), ("odd", 0)]);
    }
}
