//! Scores spread along edges: what a task changes is connected, and a test is close to what it tests.

/// Edges between candidates by their places, both ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Neighbours {
    /// From pairs (source, target); `reverse` for the other direction.
    pub(super) fn new(count: usize, pairs: &[(u32, u32)], reverse: bool) -> Self {
        let turned = |pair: &(u32, u32)| if reverse { (pair.1, pair.0) } else { *pair };
        let mut pairs: Vec<(u32, u32)> = pairs.iter().map(turned).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0u32; count + 1];
        for (source, _) in &pairs {
            offsets[*source as usize + 1] += 1;
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        Self { offsets, targets: pairs.into_iter().map(|(_, target)| target).collect() }
    }

    /// Where edges of a place lead.
    pub(super) fn of(&self, at: usize) -> &[u32] {
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
            let total: f64 = near.iter().map(|other| share[*other as usize]).sum();
            let best = near.iter().map(|other| share[*other as usize]).fold(0.0, f64::max);
            // Many weak neighbours do not make a strong one.
            0.5 * best + 0.5 * total / (1.0 + f64::from(near.len() as u32)).sqrt()
        })
        .collect()
}
