//! What answers say, as types: a line for each question in each of the functions here.

use serde_json::Value;

use super::searched::Searched;
use crate::chart::ChartReport;
use crate::declarations::{LookReport, ReadReport};
use crate::pack::{ImpactReport, PackReport};
use crate::path::PathReport;
use crate::select::{SelectAnswer, TextStyle};

/// What an answer says. The text and the JSON of an answer are made from the same report.
#[derive(Clone, Debug)]
pub enum Report {
    /// What is here.
    Chart(ChartReport),
    /// What something needs, and who uses it.
    Look(LookReport),
    /// Declarations with what they need.
    Read(Box<ReadReport>),
    /// What is needed for a failure, a task, a change or a place.
    Pack(Box<PackReport>),
    /// Where a text, a name or a task leads.
    Search(Searched),
    /// How one declaration reaches another.
    Path(PathReport),
    /// Who is affected by a change.
    Impact(Box<ImpactReport>),
    /// What entries select.
    Select(Box<SelectAnswer>),
}

impl Report {
    /// The text below the first line. Reports that are longer than their budget cut themselves to so many tokens here.
    pub(super) fn body(&self, room: u64) -> String {
        match self {
            Self::Chart(report) => report.text.clone(),
            Self::Look(report) => report.body(room),
            Self::Read(report) => report.to_text(),
            Self::Pack(report) if report.context.text.ends_with('\n') => {
                report.context.text.clone()
            }
            Self::Pack(report) => format!("{}\n", report.context.text),
            Self::Search(report) => report.body(room),
            Self::Path(report) => report.to_text(),
            Self::Impact(report) => report.to_text(),
            Self::Select(report) => report.to_text(&TextStyle::default()),
        }
    }

    /// The report for machines.
    pub fn to_wire(&self) -> Value {
        match self {
            Self::Chart(report) => to_value(&report.to_wire()),
            Self::Look(report) => to_value(&report.to_wire()),
            Self::Read(report) => to_value(&report.to_wire()),
            Self::Pack(report) => report.context.pack.to_value(),
            Self::Search(report) => to_value(&report.to_wire()),
            Self::Path(report) => to_value(&report.to_wire()),
            Self::Impact(report) => report.to_wire(),
            Self::Select(report) => report.to_wire(),
        }
    }

    /// Whether its text has code in it, which a program may want byte for byte.
    pub fn has_code(&self) -> bool {
        !matches!(self, Self::Chart(_) | Self::Look(_) | Self::Impact(_) | Self::Select(_))
    }

    /// Whether a search found nothing. Other questions have an answer or an error.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Search(report) => report.is_empty(),
            Self::Path(report) => report.paths.is_empty(),
            _ => false,
        }
    }

    /// Whether notices are listed below its text. A search reports unsearched files itself.
    pub(super) fn tells_notices(&self) -> bool {
        !matches!(self, Self::Search(_))
    }
}

/// A shape as a value: structures with text for keys always have one.
fn to_value(shape: &impl serde::Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_default()
}
