//! Reports for machines.

use portolan_wire::declarations::{
    AccountV1, LinesV1, LookReportV1, LookV1, MissingV1, NeighbourV1, OmittedV1, OutlineItemV1,
    OutlineV1, ReadReportV1, SliceV1, UsedNameV1,
};

use crate::account::Account;
use crate::look::{LookReport, Neighbour};
use crate::read::{FileOutline, ReadReport, UsedName};
use crate::search::Mention;
use crate::unresolved;
use portolan_index::token_counts::Tokenizer;

impl ReadReport {
    /// The report for machines.
    pub fn to_wire(&self) -> ReadReportV1 {
        let set = &self.set;
        let slices = set.slices.iter().map(|slice| SliceV1 {
            file: slice.file.clone(),
            role: slice.role,
            lines: slice.lines.iter().map(|(first, last)| [*first, *last]).collect(),
            text: slice.text.clone(),
            sha256: slice.sha256.to_string(),
        });
        let uses = self.users.iter().flat_map(|report| &report.looks);
        let users = self.users.is_some().then(|| {
            uses.flat_map(|look| look.users.iter().flatten()).map(neighbour_to_wire).collect()
        });
        let (unresolved, like) = unresolved::to_wire(&set.unresolved);
        ReadReportV1 {
            v: 1,
            slices: slices.collect(),
            tokens: set.tokens(),
            tokenizer: Tokenizer::O200kBase.name(),
            truncated: !set.bounds.is_empty(),
            bounds: set.bounds.clone(),
            unshown: set.unshown,
            omitted: OmittedV1 {
                locals: set.omitted.locals,
                types: set.omitted.types,
                imports: set.omitted.imports,
            },
            unresolved,
            like,
            missing: MissingV1 {
                locals: set.missing.locals.clone(),
                types: set.missing.types.clone(),
                imports: set.missing.imports.clone(),
            },
            users,
            uses: self.uses.iter().map(used_to_wire).collect(),
            outlines: self.outlines.iter().map(outline_to_wire).collect(),
        }
    }
}

fn used_to_wire(used: &UsedName) -> UsedNameV1 {
    UsedNameV1 {
        name: used.name.clone(),
        file: used.file.clone(),
        line: used.line,
        exact: used.is_exact,
    }
}

fn outline_to_wire(outline: &FileOutline) -> OutlineV1 {
    let items = outline.items.iter().map(|item| OutlineItemV1 {
        name: item.name.clone(),
        kind: item.kind.name(),
        lines: [item.first, item.last],
        signature: item.signature.clone(),
    });
    OutlineV1 {
        file: outline.file.clone(),
        lines: outline.lines,
        sha256: outline.sha256.to_string(),
        items: items.collect(),
    }
}

impl LookReport {
    /// The report for machines.
    pub fn to_wire(&self) -> LookReportV1 {
        let neighbours = |list: &Option<Vec<Neighbour>>| {
            let list = list.as_ref()?;
            Some(list.iter().map(neighbour_to_wire).collect())
        };
        let looks = self.looks.iter().map(|look| {
            let (unresolved, like) = unresolved::to_wire(&look.unresolved);
            LookV1 {
                target: look.target.clone(),
                needs: neighbours(&look.needs),
                unresolved,
                like,
                users: neighbours(&look.users),
                account: look.account.as_ref().map(account_to_wire),
                mentions: look.mentions.iter().map(Mention::to_string).collect(),
                hooks: look.hooks.clone(),
                overrides: look.overrides.iter().map(neighbour_to_wire).collect(),
                searched: look.searched,
                unread: look.unread,
            }
        });
        LookReportV1 { v: 1, looks: looks.collect() }
    }
}

fn account_to_wire(account: &Account) -> AccountV1 {
    let others = account.others_at.iter();
    AccountV1 {
        certain: account.certain,
        possible: account.possible,
        others: account.others,
        naming: account.naming,
        files: account.files,
        others_of: account.others_of.clone(),
        others_at: others
            .map(|(file, lines)| LinesV1 { file: file.clone(), lines: lines.clone() })
            .collect(),
    }
}

fn neighbour_to_wire(it: &Neighbour) -> NeighbourV1 {
    NeighbourV1 {
        hop: it.hop,
        file: it.file.clone(),
        line: it.line,
        name: it.name.clone(),
        marks: it.marks.clone(),
        around: it.around.as_ref().map(|(name, _)| name.clone()),
        through: it.through.clone(),
        why: it.why,
    }
}
