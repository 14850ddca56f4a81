//! The boundary that every call of a tool crosses: limits, permission, schema, and a record of it.

use std::sync::Arc;

use hotcell_cell::{AnswerFuture, Called, Reply, Tool, ToolCall, ToolError, ToolKind, Value};

use crate::{
    approval::{Approval, ApprovalRequest, Permission},
    hooks::Hooks,
    ledger::{CallKey, CallOutcome, outcome_of, words},
    options::OnApproval,
    schema::{Parameters, Unchecked},
    tool::AgentTool,
};

/// A tool with its boundary.
struct Guarded {
    tool: Tool,
    permission: Permission,
    parameters: Option<Parameters>,
    hooks: Arc<Hooks>,
}

/// Puts the boundary around a tool. An error says what is wrong with its schema.
pub(crate) fn guard(tool: &AgentTool, hooks: &Arc<Hooks>) -> Result<Tool, String> {
    if matches!(tool.tool.kind(), ToolKind::Deferred | ToolKind::FinalAnswer) {
        // Nothing to call: the cell itself deals with these. What they say of their parameters may come from a snapshot, and
        // is not even looked at.
        return Ok(tool.tool.clone());
    }
    let guarded = Arc::new(Guarded {
        tool: tool.tool.clone(),
        permission: tool.permission,
        parameters: Parameters::of(&tool.spec)?.filter(|_| !tool.is_self_checking),
        hooks: Arc::clone(hooks),
    });
    let waits = tool.permission == Permission::Ask;
    Ok(match tool.tool.kind() {
        ToolKind::Sync if !waits => Tool::sync(move |call| guarded.call_sync(call)),
        ToolKind::Sync | ToolKind::Blocking => Tool::blocking(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call).await }
        }),
        ToolKind::Natural => Tool::natural(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_natural(call).await }
        }),
        ToolKind::Async if !waits => Tool::asynchronous(move |call| {
            // What is refused is refused before the promise is made, and the tool starts at once.
            let begun = guarded.begin(&call);
            let guarded = Arc::clone(&guarded);
            let answer = begun.map(|key| (key, as_future(guarded.tool.call(call))));
            async move {
                let (key, answer) = answer?;
                guarded.end(key, answer.await)
            }
        }),
        ToolKind::Async => Tool::asynchronous(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call).await }
        }),
        _ => tool.tool.clone(),
    })
}

impl Guarded {
    fn call_sync(&self, call: ToolCall) -> Result<Value, ToolError> {
        let key = self.begin(&call)?;
        match self.tool.call(call) {
            Called::Sync(answer) => self.end(key, answer),
            _ => self.end(key, Err(ToolError::from("the tool changed its kind"))),
        }
    }

    async fn call_plain(&self, call: ToolCall) -> Result<Value, ToolError> {
        let key = self.begin(&call)?;
        self.ask(key, &call).await?;
        let answer = as_future(self.tool.call(call)).await;
        self.end(key, answer)
    }

    async fn call_natural(self: &Arc<Self>, call: ToolCall) -> Result<Reply, ToolError> {
        let key = self.begin(&call)?;
        self.ask(key, &call).await?;
        let Called::Natural(reply) = self.tool.call(call) else {
            return Err(ToolError::from("the tool changed its kind"));
        };
        match reply.await {
            Ok(Reply::Later(answer)) => {
                let guarded = Arc::clone(self);
                Ok(Reply::Later(Box::pin(async move {
                    guarded.end(key, answer.await)
                })))
            }
            reply => self.end(key, reply),
        }
    }

    /// Records the call, and refuses it if it may not or cannot take place.
    fn begin(&self, call: &ToolCall) -> Result<CallKey, ToolError> {
        let limit = self.hooks.options.max_tool_calls;
        let mut ledger = self.hooks.ledger();
        if ledger.len() >= limit {
            return Err(ToolError::new(
                "RangeError",
                format!("too many tool calls: a run may make {limit} (maxToolCalls)"),
            ));
        }
        let key = ledger
            .begin(&call.tool, &call.arguments)
            .map_err(|over| ToolError::new("RangeError", over.to_string()))?;
        drop(ledger);
        if self.permission == Permission::Deny {
            return self.refuse(key, denied(&call.tool, "the host does not allow it"));
        }
        let Some(parameters) = &self.parameters else {
            return Ok(key);
        };
        match parameters.check(&call.tool, &call.arguments, call.watch()) {
            Ok(()) => Ok(key),
            Err(Unchecked::Refused(error)) => self.refuse(key, error),
            // The code does not get to see this: it ends where it stands.
            Err(Unchecked::Stopped(stopped)) => {
                self.refuse(key, ToolError::from(stopped.to_string()))
            }
        }
    }

    /// Waits for approval, if the call needs it.
    async fn ask(&self, key: CallKey, call: &ToolCall) -> Result<(), ToolError> {
        if self.permission != Permission::Ask {
            return Ok(());
        }
        match self.approval(call).await {
            Approval::Allow => Ok(()),
            Approval::Deny(reason) => self.refuse(key, denied(&call.tool, &reason)),
        }
    }

    async fn approval(&self, call: &ToolCall) -> Approval {
        let decide: Option<&OnApproval> = self.hooks.options.on_approval.as_ref();
        match decide {
            Some(decide) => {
                decide(ApprovalRequest {
                    tool: Arc::clone(&call.tool),
                    arguments: call.arguments.clone(),
                })
                .await
            }
            None => Approval::Deny("it needs approval, and nobody is there to give it".into()),
        }
    }

    fn refuse<T>(&self, key: CallKey, error: ToolError) -> Result<T, ToolError> {
        let refused = CallOutcome::Refused(words(&error.to_string()));
        self.hooks.ledger().end(key, refused);
        Err(error)
    }

    fn end<T>(&self, key: CallKey, answer: Result<T, ToolError>) -> Result<T, ToolError> {
        self.hooks.ledger().end(key, outcome_of(&answer));
        answer
    }
}

fn denied(tool: &str, reason: &str) -> ToolError {
    ToolError::new(
        "PermissionDenied",
        format!("the tool {tool} may not be called: {reason}"),
    )
}

/// The answer of a tool, whatever its kind.
pub(crate) fn as_future(called: Called) -> AnswerFuture {
    match called {
        Called::Sync(answer) => Box::pin(std::future::ready(answer)),
        Called::Blocking(answer) | Called::Async(answer) => answer,
        Called::Natural(reply) => Box::pin(async {
            match reply.await? {
                Reply::Value(value) => Ok(value),
                Reply::Later(answer) => answer.await,
                _ => Err(ToolError::from("the tool gave no answer")),
            }
        }),
        _ => Box::pin(std::future::ready(Err(ToolError::from(
            "the tool has no function behind it",
        )))),
    }
}
