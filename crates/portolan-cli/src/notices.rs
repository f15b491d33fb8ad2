//! Notices for people: grouped by code, capped, with the way to see them all.

use std::collections::BTreeMap;

use portolan_types::{Notice, NoticeCode, Severity};
use serde_json::{Value, json};

use crate::context::{Context, escape, style};

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
            group.len(),
            code.as_str()
        ));
        for notice in group.iter().take(SHOWN) {
            let place =
                notice.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
            ctx.say(&format!("  {}", escape(&format!("{place}{}", notice.message))));
        }
        if group.len() > SHOWN {
            capped = true;
            ctx.say(&format!("  {dim}… and {} more{dim:#}", group.len() - SHOWN));
        }
    }
    if capped {
        ctx.say("hint: `--format json` lists every notice");
    }
}

/// The notices as JSON.
pub(crate) fn to_json(notices: &[Notice]) -> Value {
    let items = notices.iter().map(|notice| {
        let mut item = json!({
            "code": notice.code.as_str(),
            "severity": match notice.code.severity() {
                Severity::Warning => "warning",
                Severity::Info => "info",
            },
            "message": notice.message,
        });
        if let Some(place) = &notice.place {
            item["path"] = json!(place.path);
            if let Some((line, column)) = place.position {
                item["line"] = json!(line);
                item["column"] = json!(column);
            }
        }
        item
    });
    Value::Array(items.collect())
}
