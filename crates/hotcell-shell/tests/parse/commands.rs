//! What commands are made of.

use hotcell_shell::ast::{
    AndOrOperator, Argument, ArrayElement, AssignmentValue, BinaryOperator, CaseTerminator,
    Command, CompoundKind, Condition, RedirectDescriptor, RedirectOperator, RedirectTarget,
    Separator, Timed,
};
use hotcell_shell::print;

use crate::cases::{LIMIT, parse, parse_command};

fn compound(script: &str) -> CompoundKind {
    match parse_command(script) {
        Command::Compound(compound) => compound.kind.clone(),
        other => panic!("{script}: {other:?}"),
    }
}

fn text(list: &hotcell_shell::ast::List) -> String {
    String::from_utf8(print::list(list, LIMIT).unwrap()).unwrap()
}

#[test]
fn lists_know_what_ends_their_items() {
    use Separator::{Background, Newline, Semicolon};
    let commands = parse("a; b & c && d || e & f");
    let [command] = &commands[..] else { panic!() };
    let separators: Vec<_> = command
        .list
        .items
        .iter()
        .map(|item| item.separator)
        .collect();
    assert_eq!(separators, [Semicolon, Background, Background, Newline]);
    let operators: Vec<_> = command.list.items[2]
        .command
        .rest
        .iter()
        .map(|(operator, _)| *operator)
        .collect();
    assert_eq!(operators, [AndOrOperator::And, AndOrOperator::Or]);
}

#[test]
fn pipelines_may_be_negated_and_timed() {
    for (script, negated, timed, length) in [
        ("a", false, Timed::No, 1),
        ("! a | b", true, Timed::No, 2),
        ("! ! a", false, Timed::No, 1),
        ("time a | b | c", false, Timed::Yes, 3),
        ("time -p a", false, Timed::Posix, 1),
        ("time -p -- a", false, Timed::Posix, 1),
        ("! time a", true, Timed::Yes, 1),
        ("time ! ! ! a", true, Timed::Yes, 1),
        ("time", false, Timed::Yes, 1),
        ("!", true, Timed::No, 1),
    ] {
        let commands = parse(script);
        let pipeline = &commands[0].list.items[0].command.first;
        assert_eq!(pipeline.negated, negated, "{script}");
        assert_eq!(pipeline.timed, timed, "{script}");
        assert_eq!(pipeline.commands().len(), length, "{script}");
        assert_eq!(
            pipeline.only().is_some(),
            matches!(script, "a" | "! ! a"),
            "{script}"
        );
    }
}

#[test]
fn a_bar_with_an_ampersand_is_a_redirection() {
    let commands = parse("a >b |& c |& d");
    let pipeline = &commands[0].list.items[0].command.first;
    let counts: Vec<_> = pipeline
        .commands()
        .map(|command| match command {
            Command::Simple(simple) => simple.redirects.len(),
            _ => panic!(),
        })
        .collect();
    assert_eq!(counts, [2, 1, 0]);
    assert_eq!(text(&commands[0].list), "a > b 2>&1 | c 2>&1 | d");
}

#[test]
fn redirections_have_all_their_forms() {
    use RedirectOperator::{
        Append, AppendBoth, Clobber, DuplicateInput, DuplicateOutput, HereString, Read, ReadWrite,
        Write, WriteBoth,
    };
    for (script, descriptor, operator, target) in [
        ("<f", None, Read, "f"),
        (">f", None, Write, "f"),
        ("2> f", Some(2), Write, "f"),
        ("10>>f", Some(10), Append, "f"),
        (">|f", None, Clobber, "f"),
        ("<>f", None, ReadWrite, "f"),
        ("2>&1", Some(2), DuplicateOutput, "1"),
        ("<&3", None, DuplicateInput, "3"),
        (">&-", None, DuplicateOutput, "-"),
        ("3<&4-", Some(3), DuplicateInput, "4-"),
        (">& f", None, DuplicateOutput, "f"),
        ("&>f", None, WriteBoth, "f"),
        ("&>>f", None, AppendBoth, "f"),
        ("<<<'a b'", None, HereString, "'a b'"),
    ] {
        let Command::Simple(simple) = parse_command(&format!("a {script}")) else {
            panic!()
        };
        let [redirect] = &simple.redirects[..] else {
            panic!("{script}")
        };
        let expected = descriptor.map(RedirectDescriptor::Number);
        assert_eq!(redirect.descriptor, expected, "{script}");
        assert_eq!(redirect.operator, operator, "{script}");
        let RedirectTarget::Word(word) = &redirect.target else {
            panic!("{script}")
        };
        assert_eq!(
            print::word(word, LIMIT).unwrap(),
            target.as_bytes(),
            "{script}"
        );
        assert_eq!(simple.words.len(), 1, "{script}");
    }
}

#[test]
fn numbers_are_descriptors_only_in_front_of_redirections() {
    let words = |script: &str| match parse_command(script) {
        Command::Simple(simple) => (simple.words.len(), simple.redirects.len()),
        _ => panic!(),
    };
    assert_eq!(words("a 2 >f"), (2, 1));
    assert_eq!(words("a 2>f"), (1, 1));
    assert_eq!(words("a b2>f"), (2, 1));
    assert_eq!(words("a '2'>f"), (2, 1));
    assert_eq!(words("a 99999999999>f"), (2, 1));
    assert_eq!(words("a >&1>f"), (1, 2));
    assert_eq!(words("a >&-b"), (2, 1));
    assert_eq!(words("a {b}>f {c[1]}<g"), (1, 2));
    assert_eq!(words("a {b} >f"), (2, 1));
    assert_eq!(words("a {1b}>f"), (2, 1));
}

#[test]
fn reserved_words_are_words_elsewhere() {
    for script in [
        "echo if then fi",
        "a=b if",
        ">f while",
        "echo {",
        "echo }",
        "\\if a",
        "'if' a",
        "i\\f",
        "echo !",
    ] {
        assert!(
            matches!(parse_command(script), Command::Simple(_)),
            "{script}"
        );
    }
}

#[test]
fn compound_commands_are_taken_apart() {
    let CompoundKind::If(if_) =
        compound("if a; then b; elif c; then d; elif e; then f; else g; fi")
    else {
        panic!()
    };
    assert_eq!(if_.branches.len(), 3);
    assert_eq!(text(if_.otherwise.as_ref().unwrap()), "g");

    let CompoundKind::Until(until) = compound("until a; b; do c; done") else {
        panic!()
    };
    assert_eq!(
        (text(&until.condition), text(&until.body)),
        ("a; b".into(), "c".into())
    );

    let CompoundKind::For(for_) = compound("for x in a 'b c'; do d; done") else {
        panic!()
    };
    assert_eq!(for_.words.as_ref().map(|words| words.len()), Some(2));
    for script in [
        "for x; do d; done",
        "for x do d; done",
        "for x\ndo d\ndone",
        "for x; { d; }",
    ] {
        let CompoundKind::For(for_) = compound(script) else {
            panic!("{script}")
        };
        assert!(for_.words.is_none(), "{script}");
    }
    let CompoundKind::For(for_) = compound("for x in; do d; done") else {
        panic!()
    };
    assert_eq!(for_.words.as_ref().map(|words| words.len()), Some(0));
    assert!(matches!(
        compound("select x in a; do b; done"),
        CompoundKind::Select(_)
    ));

    let CompoundKind::ArithmeticFor(for_) = compound("for (( i = 0 ; i < $(a; b) ; )) { c; }")
    else {
        panic!()
    };
    let source = |arithmetic: &hotcell_shell::ast::Arithmetic| {
        String::from_utf8(print::word(&arithmetic.word, LIMIT).unwrap()).unwrap()
    };
    assert_eq!(source(&for_.initial), "\"i = 0 \"");
    assert_eq!(source(&for_.condition), "\"i < $(a; b) \"");
    assert_eq!(source(&for_.step), "");
}

#[test]
fn clauses_of_case_are_taken_apart() {
    let script = "case $x in a|'b c') d;; (e) ;& f*) g; h;;& esac) i; esac";
    let CompoundKind::Case(case) = compound(&script.replace("esac) i", "z) i")) else {
        panic!()
    };
    let clauses: Vec<_> = case
        .clauses
        .iter()
        .map(|clause| (clause.patterns.len(), text(&clause.body), clause.terminator))
        .collect();
    assert_eq!(
        clauses,
        [
            (2, "d".into(), CaseTerminator::Break),
            (1, String::new(), CaseTerminator::FallThrough),
            (1, "g; h".into(), CaseTerminator::Continue),
            (1, "i".into(), CaseTerminator::Break),
        ]
    );
    for script in [
        "case x in esac",
        "case x\nin\n\na)\n\n;;\n\nesac",
        "case in in in) a; esac",
        "case x in (esac) a;; esac",
        "case x in if) a;; esac",
    ] {
        assert!(
            matches!(compound(script), CompoundKind::Case(_)),
            "{script}"
        );
    }
}

#[test]
fn conditions_have_their_own_grammar() {
    let condition = |script: &str| match compound(script) {
        CompoundKind::Condition(condition) => condition,
        other => panic!("{other:?}"),
    };
    let shape = |script: &str| shape_of(&condition(script));
    assert_eq!(shape("[[ a ]]"), "word");
    assert_eq!(shape("[[ -f a && -z b || c ]]"), "or(and(-f, -z), word)");
    assert_eq!(shape("[[ a || b && c ]]"), "or(word, and(word, word))");
    assert_eq!(shape("[[ ! a && ! ! b ]]"), "and(not(word), word)");
    assert_eq!(
        shape("[[ ( a || b ) && ! ( c ) ]]"),
        "and(group(or(word, word)), not(group(word)))"
    );
    assert_eq!(shape("[[ a < b && c > d ]]"), "and(Less, Greater)");
    assert_eq!(shape("[[ a<b ]]"), "Less");
    assert_eq!(
        shape("[[ a == b* || a != @(c|d) ]]"),
        "or(DoubleEqual, NotEqual)"
    );
    assert_eq!(
        shape("[[ a -eq b && c -nt d ]]"),
        "and(NumberEqual, NewerThan)"
    );
    assert_eq!(shape("[[ $x =~ ^(a b|c)+$ && d ]]"), "and(Matches, word)");
    assert_eq!(shape("[[ a =~ b|c ]]"), "Matches");
    assert_eq!(shape("[[ \"-f\" == x ]]"), "DoubleEqual");
    assert_eq!(
        shape("[[\n(\na == b\n)\n&&\nc ]]"),
        "and(group(DoubleEqual), word)"
    );

    let Condition::Binary {
        operator: BinaryOperator::Matches,
        right,
        ..
    } = condition("[[ $x =~ ^(a b|c)\"+.\"[[:space:]]$ ]]")
    else {
        panic!()
    };
    assert_eq!(
        print::word(&right, LIMIT).unwrap(),
        b"^(a b|c)\"+.\"[[:space:]]$"
    );
}

fn shape_of(condition: &Condition) -> String {
    let all = |conditions: &[Condition]| {
        conditions
            .iter()
            .map(shape_of)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match condition {
        Condition::Or(conditions) => format!("or({})", all(conditions)),
        Condition::And(conditions) => format!("and({})", all(conditions)),
        Condition::Not(inner) => format!("not({})", shape_of(inner)),
        Condition::Group(inner) => format!("group({})", shape_of(inner)),
        Condition::Word(_) => "word".into(),
        Condition::Unary(letter, _) => format!("-{}", char::from(*letter)),
        Condition::Binary { operator, .. } => format!("{operator:?}"),
    }
}

#[test]
fn functions_have_any_compound_command_for_a_body() {
    for script in [
        "f() { a; }",
        "f () ( a )",
        "function f { a; }",
        "function f() { a; }",
        "function f ( a )",
        "function f\n{ a; }",
        "f()\n\n# c\n{ a; }",
        "f() if a; then b; fi",
        "f() for x in a; do b; done",
        "f() [[ a ]]",
        "f() ((1))",
        "f() case a in b) c;; esac",
        "f() while a; do b; done",
        "function f (( 1 ))",
        "f-1.x() { a; }",
        "f+() { a; }",
    ] {
        assert!(
            matches!(parse_command(script), Command::Function(_)),
            "{script}"
        );
    }
    let Command::Function(function) = parse_command("f() { a; } >b 2>&1") else {
        panic!()
    };
    assert_eq!(function.body.redirects.len(), 2);
    for (script, is_plain) in [
        ("f() { a; }", true),
        ("\"f\"() { a; }", false),
        ("$f() { a; }", false),
    ] {
        let Command::Function(function) = parse_command(script) else {
            panic!("{script}")
        };
        assert_eq!(function.name.literal().is_some(), is_plain, "{script}");
    }
}

#[test]
fn coprocesses_may_have_names() {
    for (script, name) in [
        ("coproc a b", "COPROC"),
        ("coproc { a; }", "COPROC"),
        ("coproc x { a; }", "x"),
        ("coproc x (a)", "x"),
        ("coproc x while a; do b; done", "x"),
        ("coproc a=b", "COPROC"),
        ("coproc >f", "COPROC"),
    ] {
        let Command::Coproc(coproc) = parse_command(script) else {
            panic!("{script}")
        };
        assert_eq!(&*coproc.name, name.as_bytes(), "{script}");
    }
}

#[test]
fn arrays_have_words_and_keys() {
    let script = "x=(a 'b c' # d\n $e [1]=f [g h]+='i' <(j) [k]l)";
    let Command::Simple(simple) = parse_command(script) else {
        panic!()
    };
    let AssignmentValue::Array(elements) = &simple.assignments[0].value else {
        panic!()
    };
    let keyed: Vec<_> = elements
        .iter()
        .map(|element| matches!(element, ArrayElement::Keyed { .. }))
        .collect();
    assert_eq!(keyed, [false, false, false, true, true, false, false]);

    let Command::Simple(simple) = parse_command("declare -A x=([a]=b)") else {
        panic!()
    };
    assert!(matches!(&simple.words[2], Argument::Assignment(_)));
}
