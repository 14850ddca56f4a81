//! The variables that every shell begins with.

use std::sync::{Arc, LazyLock};

use super::{
    Attributes, Clocks, Dynamic, IndexedArray, Table, Value, Variable, Variables, memory::Memory,
};

/// The bash that scripts find here.
const VERSION: [&str; 6] = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];

impl Default for Variables {
    /// All shells share one table until they change it.
    fn default() -> Self {
        static TABLE: LazyLock<Table> = LazyLock::new(table);
        Self {
            table: TABLE.clone(),
            scopes: None,
            environment: None,
            memory: Memory::default(),
            clocks: Clocks::default(),
        }
    }
}

fn table() -> Table {
    let mut table = Table::default();
    let mut add = |name: &str, value, attributes| {
        let variable = Variable {
            value,
            attributes,
            depth: 0,
        };
        table.insert(name.as_bytes().into(), Arc::new(variable));
    };
    let text = |text: &str| Value::Scalar(text.into());
    let plain = Attributes::NONE;
    let constant = Attributes::READONLY | Attributes::INTEGER;
    let unassignable = Attributes::UNASSIGNABLE;
    let array = Attributes::INDEXED | unassignable;

    add("BASH", text("/bin/bash"), plain);
    add("BASH_VERSION", text("5.2.15(1)-release"), plain);
    let version = IndexedArray::from_iter(VERSION.map(Into::into));
    add(
        "BASH_VERSINFO",
        Value::Indexed(Arc::new(version)),
        Attributes::INDEXED | Attributes::READONLY,
    );
    add("HOSTNAME", text("localhost"), plain);
    add("HOSTTYPE", text("x86_64"), plain);
    add("IFS", text(" \t\n"), plain);
    add("MACHTYPE", text("x86_64-pc-linux-gnu"), plain);
    add("OPTERR", text("1"), plain);
    add("OPTIND", text("1"), Attributes::INTEGER);
    add("OSTYPE", text("linux-gnu"), plain);
    add("PS4", text("+ "), plain);
    add("TERM", text("dumb"), plain);
    add("COMP_WORDBREAKS", text(" \t\n\"'@><=;|&(:"), plain);
    let user = hotcell_utilities::USER_ID.to_string();
    add("UID", text(&user), constant);
    add("EUID", text(&user), constant);
    add(
        "GROUPS",
        Value::Indexed(Arc::new(IndexedArray::from_iter([user.as_str().into()]))),
        array,
    );

    for (name, dynamic, attributes) in [
        ("BASHOPTS", Dynamic::BashOpts, Attributes::READONLY),
        ("SHELLOPTS", Dynamic::ShellOpts, Attributes::READONLY),
        ("PPID", Dynamic::PPid, constant),
        (
            "BASHPID",
            Dynamic::BashPid,
            Attributes::INTEGER | unassignable,
        ),
        (
            "BASH_ALIASES",
            Dynamic::BashAliases,
            Attributes::ASSOCIATIVE,
        ),
        ("BASH_CMDS", Dynamic::BashCmds, Attributes::ASSOCIATIVE),
        ("BASH_ARGC", Dynamic::BashArgc, array),
        ("BASH_ARGV", Dynamic::BashArgv, array),
        ("BASH_ARGV0", Dynamic::BashArgv0, plain),
        ("BASH_COMMAND", Dynamic::BashCommand, plain),
        ("BASH_LINENO", Dynamic::BashLineno, array),
        ("BASH_SOURCE", Dynamic::BashSource, array),
        ("BASH_SUBSHELL", Dynamic::BashSubshell, unassignable),
        ("DIRSTACK", Dynamic::DirStack, array),
        ("EPOCHREALTIME", Dynamic::EpochRealtime, unassignable),
        ("EPOCHSECONDS", Dynamic::EpochSeconds, unassignable),
        ("FUNCNAME", Dynamic::FuncName, array),
        (
            "HISTCMD",
            Dynamic::HistCmd,
            Attributes::INTEGER | unassignable,
        ),
        ("LINENO", Dynamic::LineNo, Attributes::INTEGER),
        ("PIPESTATUS", Dynamic::PipeStatus, Attributes::INDEXED),
        ("RANDOM", Dynamic::Random, Attributes::INTEGER),
        ("SECONDS", Dynamic::Seconds, Attributes::INTEGER),
        (
            "SRANDOM",
            Dynamic::SRandom,
            Attributes::INTEGER | unassignable,
        ),
        ("BASH_EXECUTION_STRING", Dynamic::BashExecutionString, plain),
        ("_", Dynamic::Underscore, plain),
    ] {
        add(name, Value::Dynamic(dynamic), attributes);
    }
    table
}
