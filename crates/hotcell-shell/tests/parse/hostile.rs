//! Scripts that nobody writes.

use hotcell_meter::{Stopped, Watch};
use hotcell_shell::parse::{ErrorKind, NoAliases, Options, Parser, SyntaxError};
use hotcell_shell::print;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything that can be nested: what opens it, what is inside, what closes it.
const NESTED: &[[&str; 3]] = &[
    ["{ ", "a", "; }"],
    ["( ", "a", " )"],
    ["(", "a", ")"],
    ["((", "a", "))"],
    ["((", "a", ") )"],
    ["if ", "a", "; then b; fi"],
    ["if a; then ", "a", "; fi"],
    ["if a; then b; else ", "a", "; fi"],
    ["while a; do ", "b", "; done"],
    ["until ", "b", "; do c; done"],
    ["for x in a; do ", "b", "; done"],
    ["for ((;;)) { ", "b", "; }"],
    ["select x in a; do ", "b", "; done"],
    ["case x in x) ", "b", ";; esac"],
    ["f() { ", "b", "; }"],
    ["function f { ", "b", "; }"],
    ["coproc { ", "a", "; }"],
    ["! { ", "a", "; }"],
    ["[[ ( ", "a", " ) ]]"],
    ["( ", "a", " )"],
    ["[[ ! ", "a", " ]]"],
    ["echo $(", "a", ")"],
    ["$(", "a", ")"],
    ["\"$(", "a", ")\""],
    ["echo <(", "a", ")"],
    ["`", "a", "`"],
    ["${x:-", "a", "}"],
    ["\"${x:-", "a", "}\""],
    ["${x#", "a", "}"],
    ["${x/", "a", "}"],
    ["${x:", "1", "}"],
    ["${x[", "1", "]}"],
    ["${x y", "1", "}"],
    ["${", "1", "}"],
    ["$((", "1", "))"],
    ["$((", "1", ") )"],
    ["$[", "1", "]"],
    ["x=(", "1", ")"],
    ["x=($(", "1", "))"],
    ["x[", "1", "]"],
    ["x[$(", "1", ")]=a"],
    ["@(", "a", ")"],
    ["cat <<E\n$(", "a", ")\nE\n"],
    ["cat <<E $(", "a", ")\n"],
    ["case x in ", "a) b", ";; esac"],
    ["'", "a", "'"],
    ["\"", "a", "\""],
    ["$'", "a", "'"],
];

/// What can be repeated without being nested.
const CHAINED: &[[&str; 3]] = &[
    ["! ", "a", ""],
    ["time ", "a", ""],
    ["a && ", "b", ""],
    ["a | ", "b", ""],
    ["a; ", "b", ""],
    ["a & ", "b", ""],
    ["\\\n", "b", ""],
    ["# ", "b", "\n"],
    ["<", "b", ""],
    ["<<", "b", ""],
    ["{x}>", "b", ""],
    [">&", "b", ""],
    ["f() ", "{ a; }", ""],
];

struct Counter(AtomicUsize);

impl Watch for Counter {
    fn check(&self) -> Result<(), Stopped> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Parses and prints all of a script; how often the parser asked whether to go on, and what was wrong.
fn run(script: &[u8], options: Options) -> (usize, Option<SyntaxError>) {
    let counter = Counter(AtomicUsize::new(0));
    let mut parser = Parser::new(script, options);
    let error = loop {
        match parser.next_command(&NoAliases, &counter) {
            Ok(Some(command)) => {
                let _ = print::list(&command.list, 1_000_000);
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    (counter.0.into_inner(), error)
}

/// With little memory, so that what is not nested too deeply does not take long either.
fn with_extglob() -> Options {
    Options {
        extglob: true,
        max_memory: 8_000_000,
        ..Options::default()
    }
}

/// An optimised build fits into the stack that the parser promises to need; others take more.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let size = if cfg!(debug_assertions) {
        4 * 1024 * 1024
    } else {
        512 * 1024
    };
    std::thread::Builder::new()
        .stack_size(size)
        .spawn(test)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_million_levels_of_anything_are_an_error_or_no_nesting_at_all() {
    on_a_small_stack(|| {
        for [open, inside, close] in NESTED {
            for depth in [1_000, 1_000_000] {
                let script = [open.repeat(depth), (*inside).into(), close.repeat(depth)].concat();
                let (steps, error) = run(script.as_bytes(), with_extglob());
                assert!(steps <= 20 + script.len() / 200, "{open}: {steps} steps");
                if let Some(error) = error {
                    assert!(!matches!(error.kind, ErrorKind::Stopped(_)));
                }
            }
        }
    });
}

#[test]
fn chains_are_not_nested() {
    on_a_small_stack(|| {
        for [open, inside, close] in CHAINED {
            let script = [open.repeat(50_000), (*inside).into(), close.repeat(50_000)].concat();
            let (steps, error) = run(script.as_bytes(), with_extglob());
            assert!(steps <= 20 + script.len() / 200, "{open}: {steps} steps");
            assert!(
                error.is_none_or(|error| error.kind != ErrorKind::TooDeep),
                "{open}"
            );
        }
    });
}

#[test]
fn a_million_levels_that_nothing_closes_are_an_error() {
    on_a_small_stack(|| {
        for [open, inside, _] in NESTED {
            let script = [open.repeat(200_000), (*inside).into()].concat();
            let (steps, _) = run(script.as_bytes(), with_extglob());
            assert!(steps <= 20 + script.len() / 200, "{open}: {steps} steps");
        }
    });
}

#[test]
fn levels_up_to_the_limit_fit_on_the_stack() {
    on_a_small_stack(|| {
        for [open, inside, close] in NESTED {
            for depth in (20..=200).step_by(20) {
                let script = [open.repeat(depth), (*inside).into(), close.repeat(depth)].concat();
                run(script.as_bytes(), with_extglob());
            }
        }
    });
}

#[test]
fn everything_may_end_anywhere() {
    on_a_small_stack(|| {
        for [open, inside, close] in NESTED.iter().chain(CHAINED) {
            let whole = [open.repeat(3), (*inside).into(), close.repeat(3)].concat();
            for end in 0..=whole.len() {
                run(&whole.as_bytes()[..end], with_extglob());
                run(&whole.as_bytes()[end..], with_extglob());
            }
        }
    });
}

#[test]
fn long_scripts_take_time_in_proportion() {
    let repeated: &[[&str; 3]] = &[
        ["echo ", "a ", ""],
        ["echo ", "a", ""],
        ["echo \"", "a ", "\""],
        ["echo '", "a\n", "'"],
        ["echo $'", "\\n", "'"],
        ["echo ", "\\a", ""],
        ["echo ", "\\\n", ""],
        ["", "a\n", ""],
        ["", "a;", ""],
        ["", "a|", "a"],
        ["", "# a\n", ""],
        ["# ", "a ", ""],
        ["", "a=b ", ""],
        ["", "f() { a; }\n", ""],
        ["x=(", "[a]=b ", ")"],
        ["echo ", "$x", ""],
        ["echo ", "${x:-a}", ""],
        ["echo \"", "${x:-'a'}", "\""],
        ["echo ", "$(a)", ""],
        ["echo ", "`a`", ""],
        ["echo ", "$((1))", ""],
        ["echo ", "$((a) )", ""],
        ["echo $((", "(1)+", "1))"],
        ["((", "(1)+", "1) )"],
        ["cat <<E\n", "a $x\n", "E\n"],
        ["cat <<'E'\n", "a $x\n", "E\n"],
        ["", "cat <<E\na\nE\n", ""],
        ["cat ", "<<E ", "\n"],
        ["case x in ", "a) b;; ", "esac"],
        ["[[ ", "a && ", "a ]]"],
        ["echo @(", "a|", "b)"],
        ["", "\0", ""],
        ["", "\n", ""],
        ["", "! ", ""],
        ["echo ${x y", "a", "}"],
        ["", ")", ""],
    ];
    for [start, piece, end] in repeated {
        let script = |bytes: usize| [start, &*piece.repeat(bytes / piece.len()), end].concat();
        let options = || Options {
            max_memory: 64_000_000,
            ..with_extglob()
        };
        let (less, _) = run(script(150_000).as_bytes(), options());
        let (more, _) = run(script(300_000).as_bytes(), options());
        assert!(
            more <= less * 5 / 2 + 10,
            "{start}{piece}: {less} and {more}"
        );
    }
}

#[test]
fn ten_megabytes_are_read() {
    let size = 10_000_000;
    for script in [
        format!("echo {}", "a".repeat(size)),
        format!("echo '{}'", "a\n".repeat(size / 2)),
        format!("echo \"{}\"", "a ".repeat(size / 2)),
        format!("cat <<'E'\n{}E\n", "a line of text\n".repeat(size / 15)),
        format!("# {}", "a ".repeat(size / 2)),
    ] {
        let (steps, error) = run(script.as_bytes(), Options::default());
        assert!(error.is_none(), "{script:.20}");
        assert!(steps <= 4 * size / 16_384, "{script:.20}: {steps}");
    }
    let script = "a ".repeat(size / 2);
    let options = Options {
        max_memory: 64_000_000,
        ..Options::default()
    };
    let (_, error) = run(script.as_bytes(), options);
    assert_eq!(error.unwrap().kind, ErrorKind::TooLarge);
}

#[test]
fn a_hundred_thousand_arguments_are_a_command() {
    let script = format!("echo {}", "a ".repeat(100_000));
    let (_, error) = run(script.as_bytes(), Options::default());
    assert!(error.is_none());
}
