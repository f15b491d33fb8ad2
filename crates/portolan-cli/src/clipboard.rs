//! Copies text to the clipboard through the terminal (OSC 52): it works over SSH, too, and starts no program.

use std::io::{self, IsTerminal as _};

use data_encoding::BASE64;

use crate::context::Context;
use crate::failure::Failure;
use portolan_query::text::bytes;

/// The most bytes that several terminals accept.
const MOST_SAFE: usize = 74_994;

/// Copies a text, and tells what it is.
pub(crate) fn copy(ctx: &mut Context, text: &str, told: &str) -> Result<(), Failure> {
    ctx.unwatch();
    let sequence = sequence(text);
    let written = if io::stderr().is_terminal() {
        write_to(&mut io::stderr().lock(), &sequence)
    } else if io::stdout().is_terminal() {
        write_to(&mut io::stdout().lock(), &sequence)
    } else {
        return Err(Failure::bad_input(
            "`--clip` needs a terminal: neither stdout nor stderr is one",
        )
        .hint("pipe the answer into `pbcopy`, `wl-copy`, `xclip -selection c` or `clip.exe`"));
    };
    written.map_err(|error| Failure::failed(format!("cannot write to the terminal: {error}")))?;
    ctx.say(&format!("copied {told} ({}), if the terminal allows it", bytes(text.len() as u64)));
    if sequence.len() > MOST_SAFE {
        ctx.say("hint: some terminals take less than this; a smaller `--budget` is safer");
    }
    Ok(())
}

fn write_to(out: &mut impl io::Write, sequence: &str) -> io::Result<()> {
    out.write_all(sequence.as_bytes())?;
    out.flush()
}

/// What a terminal takes as a text for its clipboard.
fn sequence(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", BASE64.encode(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::sequence;

    #[test]
    fn a_text_becomes_one_escape_sequence() {
        assert_eq!(sequence("a\n"), "\u{1b}]52;c;YQo=\u{7}");
    }
}
