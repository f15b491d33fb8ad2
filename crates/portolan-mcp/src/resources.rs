//! The resources and prompts that a client can show its user.

use portolan_chat::guide;
use portolan_wire::question::{ChartQuestionV1, PackQuestionV1, QuestionV1};
use rmcp::model::{Prompt, PromptArgument, Resource};

use crate::tools::ToolRequest;

/// The chart of the default root.
pub(crate) const CHART: &str = "portolan://chart";
/// The guide: how to read archives and request files.
pub(crate) const GUIDE: &str = "portolan://guide";

pub(crate) fn resources() -> Vec<Resource> {
    vec![
        Resource::new(CHART, "chart")
            .with_title("Chart")
            .with_description("What is in the repository, as it is now")
            .with_mime_type("text/plain"),
        Resource::new(GUIDE, "guide")
            .with_title("Guide")
            .with_description("How to read Portolan's archives and ask for files")
            .with_mime_type("text/markdown"),
    ]
}

/// The guide.
pub(crate) fn guide_text() -> String {
    guide::text(".stan")
}

/// The question behind the chart resource.
pub(crate) fn chart() -> ToolRequest {
    ToolRequest::Question(QuestionV1::Chart(ChartQuestionV1::default()))
}

pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str, about: &str| {
        Some(vec![PromptArgument::new(name).with_description(about).with_required(true)])
    };
    vec![
        Prompt::new(
            "thread",
            Some("Begin a task with the places it is likely about"),
            argument("task", "What you want to do"),
        ),
        Prompt::new(
            "failure",
            Some("Repair a failure with everything that is needed for it"),
            argument("output", "What the compiler, linter or test printed"),
        ),
    ]
}

/// The start of a prompt: its text, and the question whose answer follows.
pub(crate) struct PromptStart {
    pub(crate) text: String,
    pub(crate) request: ToolRequest,
}

/// The start of a prompt; `None` if there is no such prompt.
pub(crate) fn prompt_start(name: &str, argument: impl Fn(&str) -> String) -> Option<PromptStart> {
    match name {
        "thread" => {
            let task = argument("task");
            let question = ChartQuestionV1 { task: Some(task.clone()), ..Default::default() };
            let shown = portolan_guard::redact(&task);
            let text = format!(
                "Task: {shown}\n\nBelow are the places that it is likely about. Read what you need with \
                 `read` (path#name), see who uses what you change with `look`, and check your earlier \
                 answers with `check` after edits."
            );
            Some(PromptStart { text, request: ToolRequest::Question(QuestionV1::Chart(question)) })
        }
        "failure" => {
            let question =
                PackQuestionV1 { failure: Some(argument("output")), ..Default::default() };
            let text = "Repair the failure below. The pack has the diagnostics, the code in focus and what \
                        it needs; ask `read` for more, and `look` before you change what others use."
                .to_owned();
            Some(PromptStart { text, request: ToolRequest::Question(QuestionV1::Pack(question)) })
        }
        _ => None,
    }
}
