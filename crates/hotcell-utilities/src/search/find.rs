//! `find`.

mod evaluate;
mod expression;
mod format;
mod parse;
mod run;
mod walk;

use std::io;

use bstr::BString;
use hotcell_process::Process;

use crate::{Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "find",
    synopsis: "[-H] [-L] [-P] [path...] [expression]",
    summary: "Default path is the current directory; default expression is -print.\n\
              Expression may consist of: operators, options, tests, and actions.\n\n\
              Operators (decreasing precedence; -and is implicit where no others are given):\n  \
                ( EXPR )   ! EXPR   -not EXPR   EXPR1 -a EXPR2   EXPR1 -and EXPR2\n  \
                EXPR1 -o EXPR2   EXPR1 -or EXPR2   EXPR1 , EXPR2\n\
              Positional options (always true):\n  \
                -daystart -follow -nowarn -regextype -warn\n\
              Normal options (always true, specified before other expressions):\n  \
                -depth -files0-from FILE -maxdepth LEVELS -mindepth LEVELS -mount -noleaf -xdev\n  \
                -ignore_readdir_race -noignore_readdir_race\n\
              Tests (N can be +N or -N or N):\n  \
                -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty -false\n  \
                -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN -inum N\n  \
                -iwholename PATTERN -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N\n  \
                -name PATTERN -newer FILE -nouser -nogroup -path PATTERN -perm [-/]MODE\n  \
                -regex PATTERN -readable -writable -executable -samefile NAME\n  \
                -size N[bcwkMG] -true -type [bcdpflsD] -uid N -used N -user NAME\n  \
                -wholename PATTERN -xtype [bcdpfls]\n\
              Actions:\n  \
                -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print\n  \
                -fprint0 FILE -fprint FILE -ls -fls FILE -prune -quit\n  \
                -exec COMMAND ; -exec COMMAND {} + -ok COMMAND ;\n  \
                -execdir COMMAND ; -execdir COMMAND {} + -okdir COMMAND ;",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let mut args = process.args().get(1..).unwrap_or_default();
    if matches!(args, [only] if only == "--help" || only == "-help" || only == "--version") {
        USAGE.parse(process);
    }
    let mut follow = walk::Follow::Never;
    while let Some((first, rest)) = args.split_first() {
        match first.as_slice() {
            b"-H" => follow = walk::Follow::Named,
            b"-L" => follow = walk::Follow::Always,
            b"-P" => follow = walk::Follow::Never,
            // How hard to optimise: nothing here depends on it.
            [b'-', b'O', b'0'..=b'9', ..] => {}
            b"--" => {
                args = rest;
                break;
            }
            _ => break,
        }
        args = rest;
    }
    let is_expression = |arg: &BString| {
        arg.starts_with(b"-") && arg.len() > 1
            || arg == "("
            || arg == "!"
            || arg == ")"
            || arg == ","
    };
    let split = args.iter().position(is_expression).unwrap_or(args.len());
    let (paths, words) = args.split_at(split);
    let query = parse::parse(process, words, follow);
    let here = [BString::from(".")];
    let listed = query.files.as_ref().map(|list| {
        if let Some(extra) = paths.first() {
            let extra = crate::quote::quote(extra);
            process.complain([b"extra operand ", extra.as_slice()].concat());
            process.complain("file operands cannot be combined with -files0-from");
            process.exit(1);
        }
        crate::operands::names_from(process, list)
    });
    let paths = match listed {
        Some(listed) => listed?,
        None if paths.is_empty() => here.to_vec(),
        None => paths.to_vec(),
    };
    walk::run(process, &query, &paths)
}
