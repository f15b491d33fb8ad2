//! Fingerprints the sources of this crate, so that caches written by another version are dropped.

fn main() {
    portolan_fingerprint::emit();
}
