//! Functions of Node's as commands.
//!
//! The future of such a command does all reading and writing, as Node asks for it: so it happens where the run is polled, and ends
//! with it. Whatever Node still waits for then fails.

use std::{
    future::poll_fn,
    io,
    pin::pin,
    sync::{Arc, Mutex},
    task::Poll,
};

use futures_channel::{mpsc, oneshot};
use futures_util::{FutureExt as _, StreamExt as _, future::FusedFuture as _};
use hotcell::cell::Value;
use hotcell::sandbox::{CommandCall, CommandInput, CommandOutput};
use hotcell::vfs::Errno;
use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;
use serde_json::json;

use crate::{
    bridge::Bridge,
    calls::{Caller, First},
    event::{Event, What},
    outcome::Outcome,
    shared::lock,
};

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// A call of a function of Node's by a shell, as Node has it.
#[napi]
pub struct NativeCommandCall {
    /// JSON: its arguments, environment and directory.
    about: String,
    bridge: Arc<Bridge>,
    lane: u32,
    /// `None` once the command has ended.
    ends: Arc<Mutex<Option<Ends>>>,
}

/// Where Node's wishes go.
struct Ends {
    reads: mpsc::UnboundedSender<Told>,
    writes: mpsc::UnboundedSender<Write>,
}

struct Write {
    /// To standard error, and not standard output.
    is_error: bool,
    bytes: Vec<u8>,
    told: Told,
}

/// Somebody in Node who waits. Dropped without an answer it says that the command is over.
struct Told {
    bridge: Arc<Bridge>,
    lane: u32,
    operation: Option<u32>,
}

impl Told {
    fn answer(mut self, outcome: Outcome) {
        if let Some(operation) = self.operation.take() {
            self.bridge.done(self.lane, operation, outcome);
        }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Some(operation) = self.operation.take() {
            let outcome = Outcome::Threw("the command is over".into());
            self.bridge.done(self.lane, operation, outcome);
        }
    }
}

#[napi]
impl NativeCommandCall {
    /// JSON: its arguments, environment and directory.
    #[napi(getter)]
    pub fn about(&self) -> String {
        self.about.clone()
    }

    /// Reads some bytes of standard input; none at the end.
    #[napi]
    pub fn read(&self, operation: u32) -> bool {
        let told = self.told(operation);
        if let Some(ends) = &*lock(&self.ends) {
            // If nobody takes it, it answers itself.
            let _ = ends.reads.unbounded_send(told);
        }
        false
    }

    /// Writes to standard output, or to standard error.
    #[napi]
    pub fn write(&self, operation: u32, is_error: bool, data: Either<String, Buffer>) -> bool {
        let bytes = match data {
            Either::A(text) => text.into_bytes(),
            Either::B(bytes) => bytes.to_vec(),
        };
        let told = self.told(operation);
        if let Some(ends) = &*lock(&self.ends) {
            let _ = ends.writes.unbounded_send(Write {
                is_error,
                bytes,
                told,
            });
        }
        false
    }

    fn told(&self, operation: u32) -> Told {
        Told {
            bridge: Arc::clone(&self.bridge),
            lane: self.lane,
            operation: Some(operation),
        }
    }
}

/// Takes the ends away from Node when the command ends, however it does.
struct Close(Arc<Mutex<Option<Ends>>>);

impl Close {
    fn now(&self) {
        let ends = lock(&self.0).take();
        drop(ends);
    }
}

impl Drop for Close {
    fn drop(&mut self) {
        self.now();
    }
}

/// Calls a function of Node's and serves it until it has answered.
pub(super) async fn call(
    bridge: Arc<Bridge>,
    lane: u32,
    set: u32,
    name: String,
    call: CommandCall,
) -> io::Result<i32> {
    let about = json!({
        "args": call.args.iter().skip(1).map(ToString::to_string).collect::<Vec<_>>(),
        "env": call.env.iter().map(|(name, value)| (name.to_string(), value.to_string().into())).collect::<serde_json::Map<_, _>>(),
        "cwd": call.cwd.to_string(),
    });
    let (reads, reading) = mpsc::unbounded();
    let (writes, writing) = mpsc::unbounded();
    let ends = Arc::new(Mutex::new(Some(Ends { reads, writes })));
    let close = Close(Arc::clone(&ends));
    let (sender, receiver) = oneshot::channel();
    let object = NativeCommandCall {
        about: about.to_string(),
        bridge: Arc::clone(&bridge),
        lane,
        ends,
    };
    let what = What::Command {
        set,
        name,
        call: Box::new(move |_, row| row.insert(object)),
        answer: Caller::unpaid(sender),
    };
    bridge.send(Event { lane, what });
    let mut reads = pin!(serve_reads(call.stdin, reading).fuse());
    let mut writes = pin!(serve_writes(call.stdout, call.stderr, writing).fuse());
    let mut answer = pin!(answer(receiver));
    let code = poll_fn(|context| {
        let _ = reads.as_mut().poll(context);
        if let Poll::Ready(Err(error)) = writes.as_mut().poll(context) {
            return Poll::Ready(Err(error));
        }
        answer.as_mut().poll(context)
    })
    .await?;
    // What was written and not waited for is written all the same.
    close.now();
    if !writes.is_terminated() {
        writes.await?;
    }
    Ok(code)
}

/// The exit code that the function gives, at once or later.
async fn answer(receiver: oneshot::Receiver<First>) -> io::Result<i32> {
    let gone = || io::Error::other("the host ended before the command did");
    let answer = match receiver.await.map_err(|_| gone())? {
        First::Now(answer) => answer,
        First::Later(answer) => answer.await.map_err(|_| gone())?,
    };
    match answer.read() {
        Ok(Value::Undefined | Value::Null) => Ok(0),
        Ok(value) => match value.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "checked to be a byte")]
            Some(code) if (0.0..=255.0).contains(&code) && code.fract() == 0.0 => Ok(code as i32),
            _ => Err(io::Error::other(
                "the function for it must return an exit code, a whole number from 0 to 255, or nothing",
            )),
        },
        Err(error) => Err(io::Error::other(error.as_value().message.to_string())),
    }
}

async fn serve_reads(mut stdin: CommandInput, mut wishes: mpsc::UnboundedReceiver<Told>) {
    let mut buffer = vec![0; PIECE];
    while let Some(told) = wishes.next().await {
        let outcome = match stdin.read(&mut buffer).await {
            Ok(count) => Outcome::Bytes(buffer.get(..count).unwrap_or_default().to_vec()),
            Err(error) => Outcome::Threw(error.to_string()),
        };
        told.answer(outcome);
    }
}

/// Ends with an error if nobody reads what is written to standard output any more: so does the command.
async fn serve_writes(
    mut stdout: CommandOutput,
    mut stderr: CommandOutput,
    mut wishes: mpsc::UnboundedReceiver<Write>,
) -> io::Result<()> {
    while let Some(Write {
        is_error,
        bytes,
        told,
    }) = wishes.next().await
    {
        let stream = if is_error { &mut stderr } else { &mut stdout };
        match stream.write_all(&bytes).await {
            Ok(()) => told.answer(Outcome::Nothing),
            Err(error) => {
                told.answer(Outcome::Threw(error.to_string()));
                if error.raw_os_error() == Some(Errno::EPIPE.code()) {
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}
