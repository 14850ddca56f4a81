//! What words are made of.

use hotcell_meter::Unwatched;
use hotcell_shell::ast::{
    Argument, AssignmentValue, Command, CommandSubstitution, Parameter, ParameterOperation, Part,
    SimpleCommand, Subscript, Word,
};
use hotcell_shell::parse::{NoAliases, Options, parse_quoted};
use hotcell_shell::print;
use std::sync::Arc;

use crate::cases::{LIMIT, parse_command, parse_with};

fn simple(script: &str) -> Arc<SimpleCommand> {
    match parse_command(script) {
        Command::Simple(simple) => simple,
        other => panic!("{script}: {other:?}"),
    }
}

/// The only argument of `echo`.
fn word(source: &str) -> Word {
    let command = simple(&format!("echo {source}"));
    let [_, Argument::Word(word)] = &command.words[..] else {
        panic!("{source}: {command:?}")
    };
    word.clone()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A word in a notation that shows its parts: quotes have become names, and everything else is as it is in the tree.
fn show(word: &Word) -> String {
    show_parts(word.parts())
}

fn show_parts(parts: &[Part]) -> String {
    parts.iter().map(show_part).collect::<Vec<_>>().join(" ")
}

fn show_part(part: &Part) -> String {
    match part {
        Part::Literal(literal) => text(literal),
        Part::Escaped(byte) => format!("esc({})", char::from(*byte)),
        Part::SingleQuoted(quoted) => format!("single({})", text(quoted)),
        Part::AnsiQuoted(value) => format!("ansi({})", text(value).escape_default()),
        Part::DoubleQuoted(parts) => format!("double({})", show_parts(parts)),
        Part::Translated(parts) => format!("translated({})", show_parts(parts)),
        Part::Parameter(expansion) => {
            let indirect = if expansion.indirect { "!" } else { "" };
            let parameter = show_parameter(&expansion.parameter);
            format!(
                "${{{indirect}{parameter}{}}}",
                show_operation(&expansion.operation)
            )
        }
        Part::Command(substitution) => match &**substitution {
            CommandSubstitution::Dollar(list) => {
                format!("command({})", text(&print::list(list, LIMIT).unwrap()))
            }
            CommandSubstitution::Backquoted { list, error, .. } => {
                let error = if error.is_some() { " error" } else { "" };
                format!(
                    "backquoted({}{error})",
                    text(&print::list(list, LIMIT).unwrap())
                )
            }
        },
        Part::Arithmetic { expression, .. } => format!("arithmetic({})", show(&expression.word)),
        Part::Process(process) => {
            let name = if process.output { "output" } else { "input" };
            format!(
                "{name}({})",
                text(&print::list(&process.list, LIMIT).unwrap())
            )
        }
        Part::BadSubstitution(source) => format!("bad({})", text(source)),
        Part::Broken(broken) => format!("broken({})", text(&broken.0)),
    }
}

fn show_parameter(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Variable(name) => text(name),
        Parameter::Element { name, subscript } => {
            format!("{}[{}]", text(name), show_subscript(subscript))
        }
        Parameter::Positional(number) => number.to_string(),
        Parameter::Special(special) => format!("{special:?}"),
    }
}

fn show_subscript(subscript: &Subscript) -> String {
    match subscript {
        Subscript::All => "All".into(),
        Subscript::Joined => "Joined".into(),
        Subscript::Index(word) => show(word),
    }
}

fn show_operation(operation: &ParameterOperation) -> String {
    match operation {
        ParameterOperation::None => String::new(),
        ParameterOperation::Length => " length".into(),
        ParameterOperation::Names { joined: true } => " names joined".into(),
        ParameterOperation::Names { joined: false } => " names".into(),
        ParameterOperation::Keys => " keys".into(),
        ParameterOperation::Fallback {
            kind,
            or_empty,
            word,
        } => {
            let colon = if *or_empty { ":" } else { "" };
            format!(" {colon}{kind:?} {}", show(word))
        }
        ParameterOperation::Substring { offset, length } => {
            let length = length.as_ref().map_or(String::new(), |length| {
                format!(" length {}", show(&length.word))
            });
            format!(" from {}{length}", show(&offset.word))
        }
        ParameterOperation::RemovePrefix { longest, pattern } => {
            format!(
                " remove {} {}",
                if *longest { "##" } else { "#" },
                show(pattern)
            )
        }
        ParameterOperation::RemoveSuffix { longest, pattern } => {
            format!(
                " remove {} {}",
                if *longest { "%%" } else { "%" },
                show(pattern)
            )
        }
        ParameterOperation::Replace {
            scope,
            pattern,
            replacement,
        } => {
            let by = replacement
                .as_ref()
                .map_or(String::new(), |word| format!(" by {}", show(word)));
            format!(" replace {scope:?} {}{by}", show(pattern))
        }
        ParameterOperation::Case {
            change,
            all,
            pattern,
        } => {
            let all = if *all { " all" } else { "" };
            let pattern = pattern
                .as_ref()
                .map_or(String::new(), |word| format!(" {}", show(word)));
            format!(" {change:?}{all}{pattern}")
        }
        ParameterOperation::Transform(operator) => format!(" @{}", text(operator)),
    }
}

fn check(table: &[(&str, &str)]) {
    for (source, expected) in table {
        let word = word(source);
        assert_eq!(show(&word), *expected, "{source}");
        // Everything that was written is in the tree, except that bash translates two kinds of quotes at once.
        if !source.contains("$'") && !source.contains("$\"") && !source.contains("\\\n") {
            let printed = print::word(&word, LIMIT).unwrap();
            assert_eq!(text(&printed), *source);
        }
    }
}

#[test]
fn quotes_are_kept_apart() {
    check(&[
        ("abc", "abc"),
        (r"a\ b", "a esc( ) b"),
        (r"\a\b", "esc(a) esc(b)"),
        ("'a b'", "single(a b)"),
        ("''", "single()"),
        ("\"\"", "double()"),
        ("\"a $x b\"", "double(a  ${x}  b)"),
        (
            r#""\$\`\"\\\a""#,
            r#"double(esc($) esc(`) esc(") esc(\) \a)"#,
        ),
        ("a'b'\"c\"d", "a single(b) double(c) d"),
        ("\"a'b\"", "double(a'b)"),
        ("'a\"b'", "single(a\"b)"),
        ("$\"a$x\"", "translated(a ${x})"),
        ("\"$\"", "double($)"),
        ("a$", "a$"),
        ("$%", "$%"),
        ("\"$'a'\"", "double($'a')"),
        ("a\\\nb", "ab"),
        ("\"a\\\nb\"", "double(ab)"),
        ("'a\\\nb'", "single(a\\\nb)"),
        ("$\\\nx\\\ny", "${xy}"),
        ("{a,b}~*?[c]", "{a,b}~*?[c]"),
        ("a#b", "a#b"),
        ("a=b", "a=b"),
        ("é\\é", "é esc(Ã) \u{fffd}"),
    ]);
}

#[test]
fn ansi_quotes_are_decoded() {
    check(&[
        (
            r"$'\a\b\e\E\f\n\r\t\v'",
            r"ansi(\u{7}\u{8}\u{1b}\u{1b}\u{c}\n\r\t\u{b})",
        ),
        (r#"$'\\\'\"\?'"#, r#"ansi(\\\'\"?)"#),
        (r"$'\101\x41\x4\u0041\U00000041\u41'", r"ansi(AA\u{4}AAA)"),
        (r"$'\x{41}\x{}b\xg'", r"ansi(A\\x{}b\\xg)"),
        (r"$'\cA\c?\c[\ca'", r"ansi(\u{1}\u{7f}\u{1b}\u{1})"),
        (r"$'a\0b'c", "ansi(a) c"),
        (r"$'\z\u'", r"ansi(\\z\\u)"),
        (r"$'\u00e9\U1F600'", r"ansi(\u{e9}\u{1f600})"),
        ("$'a\\\\'", r"ansi(a\\)"),
        (r"$'\''", r"ansi(\')"),
        ("$''", "ansi()"),
    ]);
}

#[test]
fn parameters_have_all_their_forms() {
    check(&[
        ("$x", "${x}"),
        ("${x}", "${x}"),
        ("$xy-z", "${xy} -z"),
        ("$1x", "${1} x"),
        ("$10", "${1} 0"),
        ("${10}", "${10}"),
        ("$@", "${At}"),
        ("${*}", "${Star}"),
        ("$#", "${Count}"),
        ("${?}", "${Status}"),
        ("$-", "${Flags}"),
        ("$$", "${ProcessId}"),
        ("${!}", "${BackgroundId}"),
        ("$0", "${Zero}"),
        ("${_}", "${_}"),
        ("${x:-a b}", "${x :Default a b}"),
        ("${x-}", "${x Default }"),
        ("${x:=a}", "${x :Assign a}"),
        ("${x?a}", "${x Error a}"),
        ("${x:+a}", "${x :Alternative a}"),
        ("${x:-'a}'}", "${x :Default single(a})}"),
        ("${x:-\\}}", "${x :Default esc(})}"),
        ("${x:-${y:-$z}}", "${x :Default ${y :Default ${z}}}"),
        ("${x:-{a}}", "${x :Default {a} }"),
        ("${x:1}", "${x from double(1)}"),
        ("${x: -1}", "${x from double( -1)}"),
        ("${x:1:2}", "${x from double(1) length double(2)}"),
        ("${x::2}", "${x from  length double(2)}"),
        ("${x:a?b:c:d}", "${x from double(a?b:c) length double(d)}"),
        ("${x:(a:b):c}", "${x from double((a:b)) length double(c)}"),
        ("${x:1:2:3}", "${x from double(1) length double(2:3)}"),
        (
            "${x:$y:${#z}}",
            "${x from double(${y}) length double(${z length})}",
        ),
        ("${x#a*}", "${x remove # a*}"),
        ("${x##'a'*}", "${x remove ## single(a) *}"),
        ("${x%.c}", "${x remove % .c}"),
        ("${x%%$y}", "${x remove %% ${y}}"),
        ("${x/a/b}", "${x replace First a by b}"),
        ("${x//a}", "${x replace All a}"),
        ("${x//a/}", "${x replace All a by }"),
        ("${x/#a/b}", "${x replace Prefix a by b}"),
        ("${x/%a/b/c}", "${x replace Suffix a by b/c}"),
        ("${x////y}", "${x replace All / by y}"),
        ("${x///y}", "${x replace All /y}"),
        ("${x/\\//y}", "${x replace First esc(/) by y}"),
        ("${x/'/'/y}", "${x replace First single(/) by y}"),
        (
            "${x/$(echo /)/y}",
            "${x replace First command(echo /) by y}",
        ),
        ("${x^}", "${x Upper}"),
        ("${x^^a}", "${x Upper all a}"),
        ("${x,}", "${x Lower}"),
        ("${x,,[a-z]}", "${x Lower all [a-z]}"),
        ("${x~~}", "${x Toggle all}"),
        ("${x@Q}", "${x @Q}"),
        ("${x@}", "${x @}"),
        ("${x@zz}", "${x @zz}"),
        ("${!x}", "${!x}"),
        ("${!x:-a}", "${!x :Default a}"),
        ("${!x@}", "${x names}"),
        ("${!x*}", "${x names joined}"),
        ("${!x@Q}", "${!x @Q}"),
        ("${!a[@]}", "${a[All] keys}"),
        ("${!a[*]}", "${a[Joined] keys}"),
        ("${!a[1]}", "${!a[1]}"),
        ("${!#}", "${!Count}"),
        ("${!1}", "${!1}"),
        ("${!-a}", "${BackgroundId Default a}"),
        ("${#x}", "${x length}"),
        ("${#}", "${Count}"),
        ("${##}", "${Count length}"),
        ("${#-}", "${Flags length}"),
        ("${#-a}", "${Count Default a}"),
        ("${#@}", "${At length}"),
        ("${#a[@]}", "${a[All] length}"),
        ("${#:-a}", "${Count :Default a}"),
        ("${##a}", "${Count remove # a}"),
        ("${a[1+$i]}", "${a[1+ ${i}]}"),
        ("${a[\"k k\"]}", "${a[double(k k)]}"),
        ("${a['k']}", "${a[single(k)]}"),
        ("${a[b[1]]}", "${a[b[1]]}"),
        ("${a[@]:1:2}", "${a[All] from double(1) length double(2)}"),
        ("${a[*]/b/c}", "${a[Joined] replace First b by c}"),
        ("${@:2}", "${At from double(2)}"),
        ("${@}", "${At}"),
        ("${*#a}", "${Star remove # a}"),
    ]);
    assert_eq!(show(&word("${99999999999}")), "${4294967295}");
}

#[test]
fn quotes_inside_of_quoted_braces_depend_on_the_operator() {
    check(&[
        ("\"${x:-'a b'}\"", "double(${x :Default 'a b'})"),
        ("\"${x:-'}'}\"", "double(${x :Default '}'})"),
        ("\"${x:-'$y'}\"", "double(${x :Default ' ${y} '})"),
        ("\"${x:-\"a b\"}\"", "double(${x :Default double(a b)})"),
        ("\"${x:-\\}\\'}\"", "double(${x :Default esc(}) \\'})"),
        ("\"${x:-a}b\"", "double(${x :Default a} b)"),
        ("\"${x#'a b'}\"", "double(${x remove # single(a b)})"),
        (
            "\"${x/'a'/\"b\"}\"",
            "double(${x replace First single(a) by double(b)})",
        ),
        ("\"${a['k']}\"", "double(${a[single(k)]})"),
        (
            "\"${x:-$(echo \"a\")}\"",
            "double(${x :Default command(echo \"a\")})",
        ),
    ]);
    assert_eq!(
        show(&word("\"${x:-$'a\\tb'}\"")),
        "double(${x :Default a\tb})"
    );
}

#[test]
fn posix_mode_looks_for_no_quotes_inside_of_quoted_braces() {
    let script = b"echo \"${x:-it's}\"";
    let (_, error) = parse_with(script, Options::default(), &NoAliases);
    assert_eq!(
        error.unwrap().to_string(),
        "line 1: unexpected EOF while looking for matching `''"
    );
    let posix = Options {
        posix: true,
        ..Options::default()
    };
    let (commands, error) = parse_with(script, posix, &NoAliases);
    assert!(error.is_none());
    assert_eq!(print::list(&commands[0].list, LIMIT).unwrap(), script);
}

#[test]
fn what_is_no_expansion_is_left_for_the_expander_to_complain_of() {
    check(&[
        ("${}", "bad(${})"),
        ("${ x}", "bad(${ x})"),
        ("${x y}", "bad(${x y})"),
        ("${x!y}", "bad(${x!y})"),
        ("a${x.y}b", "a bad(${x.y}) b"),
        ("${x:}", "bad(${x:})"),
        ("${#x:1}", "bad(${#x:1})"),
        ("${#%}", "bad(${#%})"),
        ("${1abc}", "bad(${1abc})"),
        ("${x[}", "bad(${x[})"),
        ("${x[]}", "bad(${x[]})"),
        ("${x[1]y}", "bad(${x[1]y})"),
        ("${x y${z}\"}\"}", "bad(${x y${z}\"}\"})"),
        ("\"${x y}\"", "double(bad(${x y}))"),
        ("${x y${z w}}", "bad(${x y${z w}})"),
    ]);
}

#[test]
fn substitutions_are_commands() {
    check(&[
        ("$(a; b)", "command(a; b)"),
        ("\"$(a \"b\")\"", "double(command(a \"b\"))"),
        ("$()", "command()"),
        ("`a b`", "backquoted(a b)"),
        ("`a \\`b\\``", "backquoted(a `b`)"),
        ("`a; fi`", "backquoted( error)"),
        ("\"`a \\\"b\\\"`\"", "double(backquoted(a \"b\"))"),
        ("`a \\\"b\\\"`", "backquoted(a \\\"b\\\")"),
        ("``", "backquoted()"),
        ("<(a)", "input(a)"),
        (">(a)", "output(a)"),
        ("x<(a)y", "x input(a) y"),
        ("\"<(a)\"", "double(<(a))"),
        ("$((1 + 2))", "arithmetic(double(1 + 2))"),
        ("$(( $x + ${y} ))", "arithmetic(double(  ${x}  +  ${y}  ))"),
        ("$(( \"1\" ))", "arithmetic(double(  double(1)  ))"),
        ("$(( a['k)'] ))", "arithmetic(double( a['k)'] ))"),
        ("$((a[(1)]))", "arithmetic(double(a[(1)]))"),
        ("$(())", "arithmetic()"),
        ("$[1+[2]]", "arithmetic(double(1+[2]))"),
    ]);
    assert_eq!(show(&word("$(a # it's )\nb)")), "command(a\nb)");
    assert_eq!(
        show(&word("$(case x in a) b;; (c) d; esac)")),
        "command(case x in \n    a)\n        b\n    ;;\n    c)\n        d\n    ;;\nesac)"
    );
    assert_eq!(show(&word("`a\nb\nfi`")), "backquoted(a\nb error)");
}

#[test]
fn patterns_with_parentheses_are_words_only_where_they_are_recognised() {
    let options = Options {
        extglob: true,
        ..Options::default()
    };
    let script = b"echo @(a|b c)x !(\"d)\"|$e) +(f(g)h)";
    let (commands, error) = parse_with(script, options, &NoAliases);
    assert!(error.is_none(), "{}", error.unwrap());
    let Command::Simple(simple) = &commands[0].list.items[0].command.first.first else {
        panic!()
    };
    let words: Vec<_> = simple
        .words
        .iter()
        .map(|word| show(word.word().unwrap()))
        .collect();
    assert_eq!(
        words,
        ["echo", "@(a|b c)x", "!( double(d)) | ${e} )", "+(f(g)h)"]
    );

    let (_, error) = parse_with(script, Options::default(), &NoAliases);
    assert!(error.unwrap().to_string().contains("unexpected token `('"));
    parse_command("[[ a == @(a|b c) ]]");
}

#[test]
fn words_that_always_mean_the_same_say_so() {
    for (source, expected) in [
        ("abc", Some("abc")),
        ("'a b'", Some("a b")),
        ("\"a b\"", Some("a b")),
        (r"a\ b'c'", Some("a bc")),
        (r"\*", Some("*")),
        ("'*'\"?\"", Some("*?")),
        (r"$'a\tb'", Some("a\tb")),
        ("''", Some("")),
        ("[", Some("[")),
        ("]", Some("]")),
        ("{}", Some("{}")),
        ("{a}", Some("{a}")),
        ("a=b", Some("a=b")),
        ("/usr/bin/x-y.z", Some("/usr/bin/x-y.z")),
        ("*", None),
        ("a?", None),
        ("[a]", None),
        ("~", None),
        ("a=~", None),
        ("{a,b}", None),
        ("{1..3}", None),
        ("{a,'b'}", None),
        ("$x", None),
        ("\"$x\"", None),
        ("$\"a\"", None),
        ("$(a)", None),
    ] {
        let word = word(source);
        let constant = word.constant().map(|value| text(value));
        assert_eq!(constant.as_deref(), expected, "{source}");
        assert_eq!(
            word.literal().is_some(),
            !source.contains(['\'', '"', '\\', '$']),
            "{source}"
        );
    }
    for (source, expected) in [
        ("{a,b}", true),
        ("{$x,b}", true),
        ("{$x}", false),
        ("{a..$x}", true),
        ("'{a,b}'", false),
    ] {
        assert_eq!(word(source).may_have_braces(), expected, "{source}");
    }
}

#[test]
fn assignments_are_taken_apart() {
    for (source, expected) in [
        ("x=1", "x = 1"),
        ("x=", "x = "),
        ("x+='a b'", "x += single(a b)"),
        ("x=a=b", "x = a=b"),
        ("x[1]=a", "x[1] = a"),
        ("x[ 1 + $i ]=a", "x[ 1 +  ${i}  ] = a"),
        ("x[\"a]\"]=b", "x[double(a])] = b"),
        ("x[y[1]]+=a", "x[y[1]] += a"),
        ("x[@]=a", "x[All] = a"),
        ("x=(a b)c", "x = (a b)c"),
        (
            "x=(\"a b\" [c]=$d)$e",
            "x = ( double(a b)  [c]= ${d} ) ${e}",
        ),
    ] {
        let command = simple(source);
        let [assignment] = &command.assignments[..] else {
            panic!("{source}: {command:?}")
        };
        let subscript = assignment.subscript.as_ref();
        let subscript = subscript.map_or(String::new(), |found| {
            format!("[{}]", show_subscript(found))
        });
        let operator = if assignment.append { "+=" } else { "=" };
        let AssignmentValue::Scalar(value) = &assignment.value else {
            panic!("{source}")
        };
        let shown = format!(
            "{}{subscript} {operator} {}",
            text(&assignment.name),
            show(value)
        );
        assert_eq!(shown, expected, "{source}");
    }
}

#[test]
fn what_only_looks_like_an_assignment_is_a_word() {
    for source in [
        "1x=a", "x-y=a", "\"x\"=a", "x\\=a", "$x=a", "x[1]", "x[1 2]y", "=a", "+=a", "[1]=a",
    ] {
        let command = simple(source);
        assert!(command.assignments.is_empty(), "{source}");
        assert_eq!(command.words.len(), 1, "{source}");
    }
}

#[test]
fn declarations_take_assignments_as_arguments() {
    let is_assignment = |script: &str| -> Vec<bool> {
        simple(script)
            .words
            .iter()
            .map(|word| word.word().is_none())
            .collect()
    };
    assert_eq!(
        is_assignment("declare -a x=(a b) y=c z"),
        [false, false, true, true, false]
    );
    assert_eq!(
        is_assignment("a=b export x[1]=(a) \"y\"=c"),
        [false, true, false]
    );
    assert_eq!(is_assignment(">f local x+=a"), [false, true]);
    assert_eq!(is_assignment("alias x='a b'"), [false, true]);
    assert_eq!(is_assignment("echo x=a y=b"), [false, false, false]);
    assert_eq!(is_assignment("eval x=(a 'b c')"), [false, false]);
    assert_eq!(is_assignment("let x=(1+2) y=3"), [false, false, false]);
    assert_eq!(is_assignment("\\declare x=a"), [false, false]);
    assert_eq!(is_assignment("command declare x=a"), [false, false, false]);

    let posix = Options {
        posix: true,
        ..Options::default()
    };
    let (commands, _) = parse_with(b"command command export x=a", posix, &NoAliases);
    let Command::Simple(simple) = &commands[0].list.items[0].command.first.first else {
        panic!()
    };
    assert!(matches!(simple.words[3], Argument::Assignment(_)));
}

#[test]
fn words_are_small() {
    assert!(size_of::<Part>() <= 24, "{}", size_of::<Part>());
    assert!(size_of::<Word>() <= 24, "{}", size_of::<Word>());
    assert!(size_of::<Argument>() <= 24, "{}", size_of::<Argument>());
    assert!(size_of::<Command>() <= 16, "{}", size_of::<Command>());
}

#[test]
fn a_text_can_be_read_as_if_it_were_quoted() {
    let parse =
        |text: &str| show(&parse_quoted(text.as_bytes(), &Options::default(), &Unwatched).unwrap());
    assert_eq!(parse("a \"b\" 'c' $x"), "double(a \"b\" 'c'  ${x})");
    assert_eq!(parse("a\\$b$(c)"), "double(a esc($) b command(c))");
    assert_eq!(parse(""), "");
    assert_eq!(parse("a\n"), "double(a\n)");
    assert_eq!(parse("a $(b"), "double(a  broken($(b))");
    assert_eq!(parse("a ${b"), "double(a  bad(${b))");
}

#[test]
fn bytes_that_are_not_utf8_survive() {
    let script = b"echo \xff'\xfe'\"\xfd$x\"\\\xfc $'\xfb' ${x:-\xfa} `\xf9` a=\xf8";
    let (commands, error) = parse_with(script, Options::default(), &NoAliases);
    assert!(error.is_none());
    let printed = print::list(&commands[0].list, LIMIT).unwrap();
    assert_eq!(
        printed,
        b"echo \xff'\xfe'\"\xfd$x\"\\\xfc '\xfb' ${x:-\xfa} `\xf9` a=\xf8"
    );
}
