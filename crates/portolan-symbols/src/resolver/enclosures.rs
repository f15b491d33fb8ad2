//! What is around each place of a file, for who asks about many places.

use std::collections::BTreeSet;

use portolan_types::declarations::{Declarations, Flags};

use super::needs::{is_apart, is_member};

/// What [`super::enclosing`] says of every place of a file.
#[derive(Debug, Default)]
pub struct Enclosures {
    /// From each place on, to the next one, by place.
    from: Vec<(u32, Option<Enclosure>)>,
}

/// The top-level declaration around a place, and the member in it.
type Enclosure = (u32, Option<u32>);

impl Enclosures {
    /// Those of a file.
    pub fn new(facts: &Declarations) -> Self {
        let mut edges: Vec<(u32, bool, u32)> = Vec::new();
        for (item, number) in facts.items.iter().zip(0u32..) {
            if item.span.start < item.span.end {
                edges.push((item.span.start, true, number));
                edges.push((item.span.end, false, number));
            }
        }
        edges.sort_unstable();
        let (mut outer, mut members) = (BTreeSet::new(), BTreeSet::new());
        let mut from = Vec::new();
        for edges in edges.chunk_by(|left, right| left.0 == right.0) {
            for (_, starts, number) in edges {
                let Some(item) = facts.item(*number) else { continue };
                let turn = |open: &mut BTreeSet<u32>| match starts {
                    true => open.insert(*number),
                    false => open.remove(number),
                };
                if is_apart(facts, item) {
                    turn(&mut outer);
                }
                if item.flags.has(Flags::MEMBER) {
                    turn(&mut members);
                }
            }
            let around = outer.last().and_then(|outer| {
                let around = facts.item(*outer)?;
                let is_in = |number: &&u32| {
                    facts.item(**number).is_some_and(|item| is_member(around, item))
                };
                Some((*outer, members.iter().find(is_in).copied()))
            });
            from.extend(edges.first().map(|(at, ..)| (*at, around)));
        }
        Self { from }
    }

    /// What is around a place.
    pub fn at(&self, at: u32) -> Option<(u32, Option<u32>)> {
        let before = self.from.partition_point(|(from, _)| *from <= at);
        self.from.get(before.checked_sub(1)?)?.1
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::declarations::{
        Declaration, DeclarationKind, Declarations, Flags, List, NONE, Span,
    };

    use super::Enclosures;
    use crate::resolver::enclosing;

    #[test]
    fn every_place_is_told_as_by_a_search() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |most: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as u32 % most
        };
        for _ in 0..2_000 {
            let count = below(12);
            let mut facts = Declarations::default();
            for _ in 0..count {
                let (start, parent, flags) = (below(30), below(2 * count), below(8));
                let is_namespace = flags & 4 != 0;
                let kinds = [DeclarationKind::Class, DeclarationKind::Namespace];
                let local = if flags & 1 == 0 { 0 } else { Flags::LOCAL };
                let member = if flags & 2 == 0 { 0 } else { Flags::MEMBER };
                facts.items.push(Declaration {
                    kind: kinds[usize::from(is_namespace)],
                    span: Span::new(start, start + below(12)),
                    parent: if parent < count { parent } else { NONE },
                    flags: Flags(local | member),
                    name: 0,
                    at: start,
                    body: Span::default(),
                    doc: NONE,
                    shape: 0,
                    parameters: List::default(),
                    bases: List::default(),
                    members: List::default(),
                    next: NONE,
                });
            }
            let enclosures = Enclosures::new(&facts);
            for at in 0..50 {
                assert_eq!(enclosures.at(at), enclosing(&facts, at), "{at} of {facts:?}");
            }
        }
    }
}
