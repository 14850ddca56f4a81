//! Runs that wait for answers.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueHint};
use hotcell::cell::Value;
use hotcell::json::from_json;

use super::{CellArgs, OutputArgs};

/// How a run may wait.
#[derive(Args)]
pub(crate) struct WaitArgs {
    /// Keep the run in a file when it waits for answers, for hotcell resume
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) suspend_to: Option<PathBuf>,
    /// A file tool whose calls need consent, or a function that the code has and somebody answers: each call makes the run wait
    #[arg(long = "ask", value_name = "NAME")]
    pub(crate) ask: Vec<String>,
}

pub(crate) const RESUME_HELP: &str = "\
Without an answer this shows what the run waits for. With answers the file is taken by this process and no other, the run goes
on where it was, and then the file is removed, or holds the run again if it still waits. An answer that cannot be taken
leaves the file as it was. While a run goes on its file has .resuming behind its name; one that stays so is of a process that
was killed: give it its name back to try again.

Tools of the workspace have to be given again: --workspace and --ask as for hotcell run.

Example:
  hotcell run step.js --workspace . --ask write --suspend-to run.hcs
  hotcell resume run.hcs
  hotcell resume run.hcs --workspace . --ask write --approve 1.1

Exit codes:
  0 success, 1 the code failed, 2 wrong usage, 3 the run waits for answers, 124 time limit, 125 cancelled, 137 memory limit";

#[derive(Args)]
pub(crate) struct ResumeArgs {
    /// File that --suspend-to has made
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The call returns this, as JSON; with {"$":…} for what JSON lacks
    #[arg(long = "answer", value_name = "ID=JSON")]
    pub(crate) answers: Vec<AnswerArg>,
    /// The call fails with this message
    #[arg(long = "fail", value_name = "ID=MESSAGE")]
    pub(crate) failures: Vec<TextArg>,
    /// The call may take place
    #[arg(long = "approve", value_name = "ID")]
    pub(crate) approvals: Vec<String>,
    /// The call may not take place, for this reason
    #[arg(long = "deny", value_name = "ID=REASON")]
    pub(crate) denials: Vec<TextArg>,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) cell: CellArgs,
}

impl ResumeArgs {
    /// Whether there is anything to go on with.
    pub(crate) fn has_answers(&self) -> bool {
        !(self.answers.is_empty()
            && self.failures.is_empty()
            && self.approvals.is_empty()
            && self.denials.is_empty())
    }
}

#[derive(Args)]
pub(crate) struct InspectArgs {
    /// File that --suspend-to or --snapshot-out has made
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
    /// File with the secret that it has to be sealed with
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) snapshot_key: Option<PathBuf>,
}

/// `1.2=json`.
#[derive(Clone)]
pub(crate) struct AnswerArg {
    pub(crate) call: String,
    pub(crate) value: Value,
}

impl FromStr for AnswerArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let TextArg { call, text } = text.parse()?;
        let json = serde_json::from_str(&text).map_err(|error| {
            format!("the answer to {call} is not JSON ({error}); a text needs its quotes, such as {call}='\"text\"'")
        })?;
        let value = from_json(&json).map_err(|error| error.within(call.as_str()).to_string())?;
        Ok(Self { call, value })
    }
}

/// `1.2=words`.
#[derive(Clone)]
pub(crate) struct TextArg {
    pub(crate) call: String,
    pub(crate) text: String,
}

impl FromStr for TextArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((call, text)) if !call.is_empty() => Ok(Self {
                call: call.to_owned(),
                text: text.to_owned(),
            }),
            _ => Err("expected the id of a call, = and more, such as 1.2='\"yes\"'".into()),
        }
    }
}
