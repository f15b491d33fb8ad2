//! Every target in one program; `PORTOLAN_TARGET` says which.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<String> =
    LazyLock::new(|| std::env::var("PORTOLAN_TARGET").unwrap_or_else(|_| "guard".to_owned()));

fuzz_target!(|input: &[u8]| portolan_fuzz::check(&TARGET, input));
