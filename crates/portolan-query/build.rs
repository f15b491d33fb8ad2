//! Fingerprints the sources of this crate.

fn main() {
    portolan_fingerprint::emit();
}
