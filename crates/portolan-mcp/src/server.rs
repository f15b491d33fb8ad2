//! The protocol handler, for both generations of the protocol.

use std::sync::Arc;

use portolan_guard::redact;
use portolan_query::answers::escape_invisible;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents, Role,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use crate::roots::Roots;
use crate::tools::{self, ToolRequest};
use crate::{INSTRUCTIONS, ServeOptions, job, resources};

/// How long a client may cache a list. Lists never change while the process runs.
const LIST_TTL_MS: u64 = 3_600_000;

/// The MCP server.
#[derive(Clone)]
pub(crate) struct Server {
    roots: Arc<Roots>,
    tools: Arc<[Tool]>,
}

impl Server {
    pub(crate) fn new(options: ServeOptions) -> Result<Self, serde_json::Error> {
        Ok(Self { roots: Arc::new(Roots::new(options)), tools: tools::tools()? })
    }

    async fn answer(
        &self,
        root: Option<String>,
        request: ToolRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, String> {
        let roots = Arc::clone(&self.roots);
        let work = move |watch: &_| job::answer(&roots, root.as_deref(), &request, watch);
        job::run(context, work).await
    }
}

/// An error message without secrets, since it may quote the request. Only its first line begins at the start of a line, so
/// that a quoted line end does not begin one that reads like ours.
fn masked(message: &str) -> String {
    let masked = redact(message);
    let lines: Vec<String> = masked.split('\n').map(escape_invisible).collect();
    lines.join("\n  ")
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("portolan", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.tools.to_vec());
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !tools::is_tool(&call.name) {
            let message = format!("there is no tool `{}`: search, look, read, pack", call.name);
            return Err(ErrorData::invalid_params(masked(&message), None));
        }
        let answered = match tools::parse_call(&call.name, call.arguments.unwrap_or_default()) {
            Ok((root, request)) => self.answer(root, request, &context).await,
            Err(error) => Err(error),
        };
        // Errors are for the model to read, so they are results.
        Ok(match answered {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(masked(&error))]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(resources::resources());
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match request.uri.as_str() {
            resources::GUIDE => resources::guide_text(),
            resources::CHART => self
                .answer(None, resources::chart(), &context)
                .await
                .map_err(|error| ErrorData::internal_error(masked(&error), None))?,
            unknown => {
                let message = format!(
                    "there is no resource `{unknown}`: {}, {}",
                    resources::CHART,
                    resources::GUIDE
                );
                return Err(ErrorData::resource_not_found(masked(&message), None));
            }
        };
        let contents = vec![ResourceContents::text(text, request.uri)];
        let mut result = ReadResourceResult::new(contents);
        // The next edit may change it, and it is private to this client.
        result.ttl_ms = Some(0);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult::with_all_items(resources::prompts());
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument =
            |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(start) = resources::prompt_start(&request.name, argument) else {
            let message = format!("there is no prompt `{}`: thread, failure", request.name);
            return Err(ErrorData::invalid_params(masked(&message), None));
        };
        let answer = self.answer(None, start.request, &context).await;
        let answer = answer.map_err(|error| ErrorData::invalid_params(masked(&error), None))?;
        let text = format!("{}\n\n{answer}", start.text);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}
