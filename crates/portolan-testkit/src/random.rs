//! Numbers that look random and are the same in every run and on every machine.

/// A linear congruential generator, started from a seed.
#[derive(Clone, Copy, Debug)]
pub struct RandomNumbers(pub u64);

impl RandomNumbers {
    /// The next number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
