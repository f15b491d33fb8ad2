//! Scores spread along edges: what a task changes is connected, and a test is close to what it tests.

use portolan_types::FileId;

/// Edges between candidates by their places, both ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    offsets: Vec<u32>,
    targets: Vec<FileId>,
}

impl Neighbours {
    /// From pairs (source, target); `reverse` for the other direction.
    pub(super) fn new(count: usize, pairs: &[(FileId, FileId)], reverse: bool) -> Self {
        let turned = |pair: &(FileId, FileId)| if reverse { (pair.1, pair.0) } else { *pair };
        let mut pairs: Vec<(FileId, FileId)> = pairs.iter().map(turned).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0u32; count + 1];
        for (source, _) in &pairs {
            offsets[source.index() + 1] += 1;
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        Self { offsets, targets: pairs.into_iter().map(|(_, target)| target).collect() }
    }

    /// Where edges of a place lead.
    pub(super) fn of(&self, at: usize) -> &[FileId] {
        &self.targets[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// How many there are.
    pub(super) fn degree(&self, at: usize) -> f64 {
        f64::from(self.offsets[at + 1] - self.offsets[at])
    }
}

/// One step: each file gets a share of what its neighbours have. A neighbour of many gives each little.
pub(super) fn step(scores: &[f64], neighbours: &Neighbours, back: &Neighbours) -> Vec<f64> {
    let share: Vec<f64> =
        (0..scores.len()).map(|at| scores[at] / (1.0 + back.degree(at)).sqrt()).collect();
    (0..scores.len())
        .map(|at| {
            let near = neighbours.of(at);
            let total: f64 = near.iter().map(|other| share[other.index()]).sum();
            let best = near.iter().map(|other| share[other.index()]).fold(0.0, f64::max);
            // Many weak neighbours do not make a strong one.
            0.5 * best + 0.5 * total / (1.0 + f64::from(near.len() as u32)).sqrt()
        })
        .collect()
}
