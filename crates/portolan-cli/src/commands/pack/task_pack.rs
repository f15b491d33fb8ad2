//! `portolan pack --task`, `--at` and `--changed`: what is needed to do something.

use portolan_index::map::CacheMode;
use portolan_query::pack::{
    CHANGE_BUDGET, PROGRAM_TASK_BUDGET, PackError, PackForm, TASK_BUDGET, UndertakingRequest,
    build_undertaking,
};
use portolan_wire::question::{Budget, PackQuestionV1};

use super::{PackArgs, form, is_shown, say_or_unchanged, unchanged, unpacked, write};
use crate::commands::scope::own_config;
use crate::commands::{answer, elsewhere};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Runs it.
pub(super) fn run(args: &PackArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if args.list || args.focus.is_some() || args.base.is_some() || args.project.is_some() {
        let message = "`--list`, `--focus`, `--base` and `--project` are for `--diag`";
        return Err(Failure::bad_input(message));
    }
    let mut request = request(ctx, args.changed.clone(), args.at.clone())?;
    request.task = task(args)?;
    request.tests = args.tests;
    request.form = form(args, ctx);
    let is_read = request.form == PackForm::Markdown && is_shown(args);
    let usual = match args.changed.is_none() && args.at.is_empty() {
        true if is_read => TASK_BUDGET,
        true => PROGRAM_TASK_BUDGET,
        false => CHANGE_BUDGET,
    };
    request.budget = args.budget.map_or(usual, Budget::tokens);
    if is_read {
        let UndertakingRequest { config, task, at, changed, tests, budget, .. } = request;
        let budget = Budget::new(budget);
        let question = PackQuestionV1 { task, at, changed, tests, budget, ..Default::default() };
        return say_or_unchanged(ctx, config, question);
    }
    let report = match build_undertaking(&ctx.system, &request) {
        Err(PackError::Unchanged(since)) => return unchanged(ctx, &since),
        report => report.map_err(|error| unpacked(&error))?,
    };
    write(args, ctx, &report)?;
    Ok(Exit::Done)
}

/// What is asked, with what is usual.
pub(crate) fn request(
    ctx: &mut Context,
    changed: Option<String>,
    mut at: Vec<String>,
) -> Result<UndertakingRequest, Failure> {
    elsewhere::follow(ctx, &mut at)?;
    Ok(UndertakingRequest {
        config: own_config(ctx)?,
        task: None,
        at,
        changed,
        tests: false,
        budget: CHANGE_BUDGET,
        form: PackForm::Json,
        threads: 0,
        cache: CacheMode::Use,
    })
}

fn task(args: &PackArgs) -> Result<Option<String>, Failure> {
    match answer::task_text(args.task.as_deref())? {
        Some(text) if text.trim().is_empty() => Err(Failure::bad_input("the task is empty")
            .hint("say in words what is to be done, as a commit message would")),
        text => Ok(text),
    }
}
