//! Fits a pack to a token budget by searching for the largest bound in bytes.

use portolan_types::{Input, Remedy};
use portolan_wire::pack::Pack;
use portolan_wire::slice::Diagnostic;
use portolan_x07::{SliceError, SliceRequest};

use super::{AgentContextReport, AgentError, Build};

/// Finds the largest `max_bytes` whose pack fits the token budget, by bisection.
pub(super) fn fit(
    request: &SliceRequest,
    budget: u64,
    build: &mut Build<'_>,
) -> Result<AgentContextReport, AgentError> {
    let whole = built(build(request).map_err(|(error, _)| error)?);
    if whole.tokens <= Some(budget) {
        return Ok(whole);
    }
    let mut bound =
        |max_bytes: u64| build(&SliceRequest { max_bytes: Some(max_bytes), ..request.clone() });
    let mut low = match bound(1) {
        Err((_, SliceError::BoundTooSmall { smallest, .. })) => smallest,
        _ => 1,
    };
    let mut best = built(bound(low).map_err(|(error, _)| error)?);
    if best.tokens > Some(budget) {
        let needed = best.tokens.unwrap_or_default();
        let message =
            format!("no pack of this focus fits {budget} tokens: the smallest takes {needed}");
        let remedy = Remedy::give_value(Input::Budget, &needed, "or more, or fewer diagnostics");
        return Err(AgentError::new(message).remedy(remedy));
    }
    // `low` fits, `high` does not.
    let mut high = whole.pack.ast.slice_ast.len() as u64;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let report = built(bound(middle).map_err(|(error, _)| error)?);
        if report.tokens <= Some(budget) {
            (low, best) = (middle, report);
        } else {
            high = middle;
        }
    }
    Ok(best)
}

fn built((pack, diagnostics): (Pack, Vec<Diagnostic>)) -> AgentContextReport {
    let tokens = Some(count_tokens(&pack.to_canonical()));
    AgentContextReport { pack, diagnostics, tokens }
}

/// Counts the tokens of a text in the encoding of current models.
fn count_tokens(bytes: &[u8]) -> u64 {
    portolan_tokens::count_bytes(bytes)
}
