//! Notices for people: grouped by code, capped, with the way to see them all.

use std::collections::BTreeMap;

use portolan_types::{Notice, NoticeCode, Severity};

use crate::context::{Context, escape, style};
use crate::text::{thousands, wrapped};

/// How many notices of a code are shown.
const SHOWN: usize = 3;

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
        for notice in group.iter().take(SHOWN) {
            let place =
                notice.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
            let text = format!("  {}", escape(&format!("{place}{}", notice.message)));
            ctx.say(&wrapped(&text, ctx.stderr_width, 4));
        }
        if group.len() > SHOWN {
            capped = true;
            ctx.say(&format!(
                "  {dim}… and {} more{dim:#}",
                thousands((group.len() - SHOWN) as u64)
            ));
        }
    }
    if capped {
        let hint = style::ACCENT;
        ctx.say(&format!("{hint}hint{hint:#}: `--format json` lists every notice"));
    }
}
