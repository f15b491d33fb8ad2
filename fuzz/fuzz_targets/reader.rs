//! Every target in one program; `PORTOLAN_TARGET` says which.

#![no_main]

use std::panic;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<String> =
    LazyLock::new(|| std::env::var("PORTOLAN_TARGET").unwrap_or_else(|_| "guard".to_owned()));

/// libFuzzer's own hook ends the program at every panic. Those of parsers that we shield from are answers.
fn keep_quiet_about_shielded_panics() {
    let end = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !portolan_index::is_catching_panics() && !portolan_atlas::is_catching_panics() {
            end(panic);
        }
    }));
}

fuzz_target!(
    init: keep_quiet_about_shielded_panics(),
    |input: &[u8]| portolan_fuzz::check(&TARGET, input)
);
