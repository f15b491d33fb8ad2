//! Measures slicing a large document, relative to parsing its JSON alone.
//!
//! `cargo bench -p portolan-x07`; `PORTOLAN_BENCH_DECLS` sets the size (50,000 decls).

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints its figures, or fails"
)]

#[path = "../tests/it/generator.rs"]
#[expect(dead_code, reason = "the property tests use the rest")]
mod generator;
#[path = "large.rs"]
mod large;

use std::time::{Duration, Instant};

use portolan_x07::{Enclosure, SliceRequest, read, slice};

const ROUNDS: usize = 5;

/// The fastest of several rounds: interference can only slow a round down.
fn best(mut run: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    rounds.min().unwrap_or_default()
}

fn main() {
    let n_decls =
        std::env::var("PORTOLAN_BENCH_DECLS").ok().and_then(|n| n.parse().ok()).unwrap_or(50_000);
    let source = large::large_module(n_decls);
    println!("{n_decls} decls, {} bytes", source.len());
    let parse = best(|| drop(portolan_wire::tree::parse(source.as_bytes())));
    let serde = best(|| drop(serde_json::from_slice::<serde_json::Value>(source.as_bytes())));
    let row = |name: &str, time: Duration| {
        let ratio = |base: Duration| time.as_secs_f64() / base.as_secs_f64();
        println!(
            "{name:<32} {time:>10.1?}  {:>5.2} x parse  {:>5.2} x serde_json",
            ratio(parse),
            ratio(serde)
        );
    };
    row("parse alone", parse);
    row("parse alone, serde_json::Value", serde);
    row("read and canonicalise", best(|| drop(read(source.as_bytes()))));
    let focus = SliceRequest { ptr: "/decls/0/body/1".into(), ..SliceRequest::default() };
    let module = SliceRequest { enclosure: Enclosure::Module, ..focus.clone() };
    for (name, request) in [("decl", focus), ("module", module)] {
        for (bound, max_nodes, max_bytes) in [
            ("no bound", None, None),
            ("--max-nodes 100", Some(100), None),
            ("--max-bytes 100000", None, Some(100_000)),
        ] {
            let request = SliceRequest { max_nodes, max_bytes, ..request.clone() };
            let time = best(|| {
                let mut document = read(source.as_bytes()).expect("the document is valid");
                drop(slice(&mut document, &request).expect("there is a slice"));
            });
            row(&format!("{name}, {bound}"), time);
        }
    }
}
