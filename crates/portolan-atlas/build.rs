//! Fingerprints the sources of this crate: caches that other sources wrote are dropped.

fn main() {
    portolan_fingerprint::emit();
}
