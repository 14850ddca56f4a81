//! The boundary that every call of a tool crosses: limits, permission, schema, and a record of it.

use std::sync::Arc;

use hotcell_cell::{AnswerFuture, Called, Reply, Tool, ToolCall, ToolError, ToolKind, Value};
use tracing::Instrument;

use crate::{
    approval::{Approval, ApprovalRequest, Permission},
    hooks::{Hooks, is_traced},
    ledger::{CallKey, CallOutcome, SuspendReason, outcome_of, words},
    options::OnApproval,
    schema::{Parameters, Unchecked},
    tool::AgentTool,
};

/// A tool with its boundary.
pub(crate) struct Guarded {
    tool: Tool,
    permission: Permission,
    parameters: Option<Parameters>,
    ends_with_run: bool,
    hooks: Arc<Hooks>,
}

/// Puts the boundary around a tool. An error says what is wrong with its schema.
pub(crate) fn guard(tool: &AgentTool, hooks: &Arc<Hooks>) -> Result<Tool, String> {
    if tool.tool.kind() == ToolKind::FinalAnswer || tool.is_own {
        // Nothing to call, the cell itself deals with it; or ours, with limits of its own.
        return Ok(tool.tool.clone());
    }
    let guarded = Arc::new(Guarded::new(tool, hooks)?);
    let waits = tool.permission == Permission::Ask;
    let crossed = match tool.tool.kind() {
        ToolKind::Sync if !waits => Tool::sync(move |call| guarded.call_sync(call)),
        ToolKind::Sync | ToolKind::Blocking => Tool::blocking(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call, Promised::No).await }
        }),
        ToolKind::Deferred => Tool::asynchronous(move |mut call| {
            let begun = guarded.begin(&mut call);
            let guarded = Arc::clone(&guarded);
            async move { guarded.suspend(begun?, SuspendReason::Deferred) }
        }),
        ToolKind::MaybeAsync => Tool::maybe_async(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_maybe_async(call).await }
        }),
        ToolKind::Async if !waits => Tool::asynchronous(move |mut call| {
            // What is refused is refused before the promise is made, and the tool starts at once.
            let begun = guarded.begin(&mut call);
            let guarded = Arc::clone(&guarded);
            let answer = begun.map(|key| (key, guarded.invoke(key, call)));
            async move {
                let (key, answer) = answer?;
                guarded.end(key, answer.await)
            }
        }),
        ToolKind::Async => Tool::asynchronous(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call, Promised::Yes).await }
        }),
        ToolKind::Paged => Tool::paged(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call, Promised::Yes).await }
        }),
        ToolKind::Json => Tool::json(move |call| {
            let guarded = Arc::clone(&guarded);
            async move { guarded.call_plain(call, Promised::Yes).await }
        }),
        _ => return Ok(tool.tool.clone()),
    };
    Ok(if tool.tool.is_shadowable() {
        crossed.shadowable()
    } else {
        crossed
    })
}

/// Whether code has a promise for a call, so that its run can be suspended meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promised {
    Yes,
    No,
}

impl Guarded {
    /// An error says what is wrong with the schema.
    pub(crate) fn new(tool: &AgentTool, hooks: &Arc<Hooks>) -> Result<Self, String> {
        Ok(Self {
            tool: tool.tool.clone(),
            permission: tool.permission,
            parameters: Parameters::of(&tool.spec)?.filter(|_| !tool.is_self_checking),
            ends_with_run: tool.ends_with_run,
            hooks: Arc::clone(hooks),
        })
    }

    /// Calls the tool for somebody who has approved of it. The call is in the ledger already.
    pub(crate) fn approved(self, key: CallKey, mut call: ToolCall) -> AnswerFuture {
        Box::pin(async move {
            if let Some(parameters) = &self.parameters
                && let Err(over) = parameters.pack(&mut call, &self.hooks.account)
            {
                return self.refuse(key, ToolError::new("RangeError", over.to_string()));
            }
            let answer = self.invoke(key, call).await;
            self.end(key, answer)
        })
    }

    /// Calls the tool, whatever its kind: for `tracing`, within the span of the call.
    fn invoke(&self, key: CallKey, call: ToolCall) -> AnswerFuture {
        let answer: AnswerFuture = if is_traced() {
            let span = self.hooks.call_span(key);
            let answer = span.in_scope(|| as_future(self.tool.call(call)));
            Box::pin(answer.instrument((*span).clone()))
        } else {
            as_future(self.tool.call(call))
        };
        if self.ends_with_run {
            self.hooks.scope.hold(answer)
        } else {
            answer
        }
    }

    /// What the tool takes when it is called with these arguments.
    pub(crate) fn packed(&self, mut call: ToolCall) -> hotcell_cell::Arguments {
        if let Some(parameters) = &self.parameters {
            // If there is no room for it, it stays as it is.
            let _ = parameters.pack(&mut call, &self.hooks.account);
        }
        call.arguments
    }

    fn call_sync(&self, mut call: ToolCall) -> Result<Value, ToolError> {
        let key = self.begin(&mut call)?;
        let called = if is_traced() {
            let span = self.hooks.call_span(key);
            span.in_scope(|| self.tool.call(call))
        } else {
            self.tool.call(call)
        };
        match called {
            Called::Sync(answer) => self.end(key, at_once(answer)),
            _ => self.end(key, Err(ToolError::from("the tool changed its kind"))),
        }
    }

    async fn call_plain(&self, mut call: ToolCall, promised: Promised) -> Result<Value, ToolError> {
        let key = self.begin(&mut call)?;
        self.ask(key, &call, promised).await?;
        let answer = self.invoke(key, call).await;
        match promised {
            Promised::Yes => self.end(key, answer),
            Promised::No => self.end(key, at_once(answer)),
        }
    }

    async fn call_maybe_async(self: &Arc<Self>, mut call: ToolCall) -> Result<Reply, ToolError> {
        let key = self.begin(&mut call)?;
        self.ask(key, &call, Promised::Yes).await?;
        let reply = if is_traced() {
            let span = self.hooks.call_span(key);
            let Called::MaybeAsync(reply) = span.in_scope(|| self.tool.call(call)) else {
                return Err(ToolError::from("the tool changed its kind"));
            };
            reply.instrument((*span).clone()).await
        } else {
            let Called::MaybeAsync(reply) = self.tool.call(call) else {
                return Err(ToolError::from("the tool changed its kind"));
            };
            reply.await
        };
        match reply {
            Ok(Reply::Later(answer)) => {
                let guarded = Arc::clone(self);
                Ok(Reply::Later(Box::pin(async move {
                    guarded.end(key, answer.await)
                })))
            }
            reply => self.end(key, reply),
        }
    }

    /// Records the call, and refuses it if it may not or cannot take place. What it is called with becomes what the tool takes.
    fn begin(&self, call: &mut ToolCall) -> Result<CallKey, ToolError> {
        let limit = self.hooks.options.max_tool_calls;
        if self.hooks.ledger().len() >= limit {
            return Err(ToolError::new(
                "RangeError",
                format!("too many tool calls: a run may make {limit} (maxToolCalls)"),
            ));
        }
        let key = self
            .hooks
            .begin_call(call)
            .map_err(|over| ToolError::new("RangeError", over.to_string()))?;
        if self.permission == Permission::Deny {
            return self.refuse(key, denied(&call.tool, "the host does not allow it"));
        }
        let Some(parameters) = &self.parameters else {
            return Ok(key);
        };
        match parameters.check(&call.tool, &call.arguments, call.watch()) {
            Ok(()) => match parameters.pack(call, &self.hooks.account) {
                Ok(()) => Ok(key),
                Err(over) => self.refuse(key, ToolError::new("RangeError", over.to_string())),
            },
            Err(Unchecked::Refused(error)) => self.refuse(key, error),
            // The code does not get to see this: it ends where it stands.
            Err(Unchecked::Stopped(stopped)) => {
                self.refuse(key, ToolError::from(stopped.to_string()))
            }
        }
    }

    /// Waits for approval, if the call needs it.
    async fn ask(
        &self,
        key: CallKey,
        call: &ToolCall,
        promised: Promised,
    ) -> Result<(), ToolError> {
        if self.permission != Permission::Ask {
            return Ok(());
        }
        let is_anybody_there = self.hooks.options.on_approval.is_some();
        if !is_anybody_there && promised == Promised::Yes && self.hooks.may_suspend() {
            return self.suspend(key, SuspendReason::Approval);
        }
        match self.approval(call).await {
            Approval::Allow => Ok(()),
            Approval::Deny(reason) => self.refuse(key, denied(&call.tool, &reason)),
            Approval::Later if promised == Promised::Yes && self.hooks.may_suspend() => {
                self.suspend(key, SuspendReason::Approval)
            }
            Approval::Later => {
                let reason = "nobody can decide on it now, and this run cannot wait: it must be begun with start(), and the tool be asynchronous";
                self.refuse(key, denied(&call.tool, reason))
            }
        }
    }

    async fn approval(&self, call: &ToolCall) -> Approval {
        let decide: Option<&OnApproval> = self.hooks.options.on_approval.as_ref();
        match decide {
            Some(decide) => {
                decide(ApprovalRequest {
                    tool: Arc::clone(&call.tool),
                    arguments: call.arguments.clone(),
                    origin: call.origin.clone(),
                    account: self.hooks.account.clone(),
                })
                .await
            }
            None => Approval::Deny("it needs approval, and nobody is there to give it".into()),
        }
    }

    fn refuse<T>(&self, key: CallKey, error: ToolError) -> Result<T, ToolError> {
        let refused = CallOutcome::Refused(words(&error.to_string()));
        self.hooks.end_call(key, refused);
        Err(error)
    }

    /// Leaves the call to who resumes the run; if nobody does that, it fails.
    fn suspend<T>(&self, key: CallKey, reason: SuspendReason) -> Result<T, ToolError> {
        if !self.hooks.may_suspend() {
            let words = "its answer comes later, and this run cannot be suspended: it must be begun with start()";
            return self.refuse(key, ToolError::from(words));
        }
        self.hooks.suspend_call(key, reason);
        Err(ToolError::suspended())
    }

    fn end<T>(&self, key: CallKey, answer: Result<T, ToolError>) -> Result<T, ToolError> {
        if answer.as_ref().is_err_and(ToolError::is_suspension) {
            return self.suspend(key, SuspendReason::Tool);
        }
        self.hooks.end_call(key, outcome_of(&answer));
        answer
    }
}

/// An answer that somebody waits for on the spot: a suspension is an error then.
fn at_once<T>(answer: Result<T, ToolError>) -> Result<T, ToolError> {
    answer.map_err(|error| {
        if error.is_suspension() {
            ToolError::from(error.to_string())
        } else {
            error
        }
    })
}

pub(crate) fn denied(tool: &str, reason: &str) -> ToolError {
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
        Called::MaybeAsync(reply) => Box::pin(async {
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
