//! Code that is made to overflow a stack, to take forever, or to break a parser. An overflow ends the whole test process, so
//! that surviving is the assertion.

use std::fmt::Write as _;

use hotcell_prepare::{DynamicKind, prepare_dynamic, prepare_program};

use crate::options;

/// Before, repeated, in the middle, repeated after.
type Form = (&'static str, &'static str, &'static str, &'static str);

const FORMS: &[Form] = &[
    ("", "(", "1", ")"),
    ("x=", "[", "1", "]"),
    ("", "{", "1", "}"),
    ("x=", "{a:", "1", "}"),
    ("", "f(", "1", ")"),
    ("", "a[", "1", "]"),
    ("", "`${", "1", "}`"),
    ("", "a`${", "1", "}`"),
    ("a", "`x`", "", ""),
    ("", "!", "1", ""),
    ("", "- ", "1", ""),
    ("", "~", "1", ""),
    ("", "typeof ", "1", ""),
    ("", "void ", "1", ""),
    ("", "delete ", "1", ""),
    ("", "await ", "1", ""),
    ("", "new ", "a", ""),
    ("", "new (", "a", ")"),
    ("x=", "a=>", "1", ""),
    ("x=", "(a)=>", "1", ""),
    ("x=", "()=>{", "1", "}"),
    ("x=", "async a=>", "1", ""),
    ("x=", "(a=", "1", ")=>1"),
    ("x=", "({a=", "1", "})=>1"),
    ("", "a?b:", "1", ""),
    ("", "a?", "1", ":b"),
    ("", "a?(b):", "c", ""),
    ("", "a=", "1", ""),
    ("", "a??=", "1", ""),
    ("", "a**", "1", ""),
    ("1", "+1", "", ""),
    ("1", "&&1", "", ""),
    ("1", "??1", "", ""),
    ("1", "<1", "", ""),
    ("1", ">1", "", ""),
    ("1", ",1", "", ""),
    ("1", " in a", "", ""),
    ("1", " instanceof a", "", ""),
    ("a", ".b", "", ""),
    ("a", "?.b", "", ""),
    ("a", "()", "", ""),
    ("a", "?.()", "", ""),
    ("a", "[0]", "", ""),
    ("", "if(a)", "1", ""),
    ("if(a)1;", "else if(a)1;", "", ""),
    ("", "for(;;)", "1", ""),
    ("", "for(a of b)", "1", ""),
    ("", "for(a in b)", "1", ""),
    ("", "while(a)", "1", ""),
    ("", "do ", ";", " while(a);"),
    ("", "with(a)", "1", ""),
    ("", "try{", "1", "}catch{}"),
    ("", "try{}finally{", "1", "}"),
    ("", "switch(a){case 1:", "1", "}"),
    ("", "function f(){", "1", "}"),
    ("x=", "function(){return ", "1", "}"),
    ("", "class A{m(){", "1", "}}"),
    ("x=", "class extends ", "A", "{}"),
    ("x=", "class extends (", "A", "){}"),
    ("x=", "class{a=", "1", "}"),
    ("x=", "class{[", "1", "]=1}"),
    ("", "class A{static{", "1", "}}"),
    ("let ", "[", "a", "]=b"),
    ("let ", "{a:", "a", "}=b"),
    ("", "[", "a", "]=b"),
    ("(", "{a:", "a", "}=b"),
    ("", "function f(a=", "1", "){}"),
    ("f(", "...[", "1", "]"),
    ("x=", "{m(){return ", "1", "}}"),
    ("x=", "{get a(){return ", "1", "}}"),
    ("x=", "{[", "1", "]:1}"),
    ("", "import(", "1", ")"),
    ("function*g(){", "yield ", "1", ""),
    ("async function g(){", "await ", "1", ""),
    ("/", "(?:", "a", ")"),
    ("/", "(?=", "a", ")"),
    ("/", "[", "a", "]"),
    ("x=/", "[[", "a", "]]"),
    ("let x:a; 1", " as any", "", ""),
    ("let x:a; a", "!", "", ""),
    ("let x: a", "[]", "", ""),
    ("let x: ", "keyof ", "a", ""),
    ("let x: ", "(", "a", ")"),
    ("let x: ", "()=>", "a", ""),
    ("let x: ", "{a:", "a", "}"),
    ("let x: ", "A<", "a", ">"),
    ("let x: ", "a extends b?c:", "a", ""),
    ("let x: ", "a extends b?", "c", ":d"),
    ("let x: ", "[", "a", "]"),
    ("let x: a", "|b", "", ""),
    ("let x: a", ".b", "", ""),
    ("let x: ", "`${", "a", "}`"),
    ("let x: ", "{[k in a]:", "a", "}"),
    ("let x: ", "import('a').b<", "b", ">"),
    ("let y:a; x=", "<any>", "a", ""),
    ("let y:a; ", "f<", "a", ">()"),
    ("let y:a; x=", "<T>(a:T)=>", "1", ""),
    ("", "namespace A{", "1", "}"),
    ("namespace A", ".B", "{1}", ""),
    ("enum E{a=", "(", "1", ")"),
    ("", "class A{constructor(public a=", "1", "){}}"),
    ("enum Q{} x=", "a=>", "1", ""),
    ("enum Q{} 1", "+1", "", ""),
    ("enum Q{} a", ".b", "", ""),
    ("enum Q{} x=", "{a:", "1", "}"),
    ("enum Q{} ", "f(", "1", ")"),
    ("enum Q{} ", "if(a)", "1", ""),
    ("enum Q{} if(a)1;", "else if(a)1;", "", ""),
    ("enum Q{} x=", "function(){return ", "1", "}"),
    ("enum Q{} x=", "class extends ", "A", "{}"),
    ("x=", "<a>", "b", "</a>"),
    ("x=", "<a b=", "{1}", "/>"),
    ("", "@(", "a", ") class A{}"),
    ("", "@a ", "class A{}", ""),
    ("", "a<(", "b", ""),
    ("", "b<(a=", "b", ""),
    ("a", "<b", "", ""),
    ("a", "<b,a", "", ""),
    ("", "a<{b:", "b", ""),
    ("type A=", "infer <(", "b", ""),
    ("", "async <(", "b", ""),
    ("", "\\u006eew ", "a", ""),
    ("", "({", "a", ""),
    ("", "[{(", "a", ""),
    ("", "`", "", ""),
    ("", "/*", "", ""),
    ("", "'", "", ""),
    ("", "\\", "", ""),
    ("", "#", "", ""),
    ("", "<!--", "", ""),
    ("", ")", "", ""),
    ("", "}", "", ""),
    ("", "${", "", ""),
];

fn build(form: &Form, times: usize) -> String {
    let (before, open, middle, close) = form;
    let end = if before.ends_with('/') { "/" } else { "" };
    format!(
        "{before}{}{middle}{}{end}",
        open.repeat(times),
        close.repeat(times)
    )
}

/// Whatever is said about it, something is: too deep code never passes in silence, nor does it end the process.
fn survive(code: &str) {
    let program = prepare_program(code, &options());
    if code.len() > options().max_code_bytes {
        assert!(program.has_errors());
    }
}

#[test]
fn nesting_of_every_form_is_survived_at_any_depth() {
    for form in FORMS {
        for times in [10, 400, 499, 600, 2_900, 100_000] {
            survive(&build(form, times));
        }
    }
}

#[test]
fn a_mebibyte_of_any_form_is_survived() {
    for form in FORMS {
        let times = (1 << 20) / (form.1.len() + form.3.len());
        survive(&build(form, times - 8));
    }
}

#[test]
fn deep_code_is_refused_with_a_place_and_a_remedy() {
    for form in [
        "(", "[", "{", "`${", "f(", "!", "a=>", "new ", "if(a)", "a=", "a?b:",
    ] {
        let program = prepare_program(&form.repeat(100_000), &options());
        assert_eq!(program.diagnostics[0].rule, "code_too_deep", "{form}");
        assert!(program.diagnostics[0].location.is_some() && program.diagnostics[0].fix.is_some());
    }
}

#[test]
fn the_nesting_limit_is_exact() {
    let mut options = options();
    options.max_nesting = 20;
    let code = |depth| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(prepare_program(&code(20), &options).diagnostics.is_empty());
    assert_eq!(
        prepare_program(&code(21), &options).diagnostics[0].rule,
        "code_too_deep"
    );
}

#[test]
fn long_flat_code_is_not_deep() {
    let options = options();
    let mut lines = String::new();
    for n in 0..8_000 {
        writeln!(
            lines,
            "const v{n} = a.b.c(d, [1, 2], {{ e: f ? g : h }}) + `x${{i}}`"
        )
        .unwrap();
    }
    let program = prepare_program(&lines, &options);
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);

    let data = format!(
        "const data = [{}];",
        "{\"a\": [1, -2, [3]], \"b\": null},\n".repeat(20_000)
    );
    let program = prepare_program(&data, &options);
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);

    let text = format!("f(`{}`)", "( [ { \" ' < ! \\` $ ".repeat(30_000));
    let program = prepare_program(&text, &options);
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);

    let sum = format!("f({})", vec!["a.b"; 1_000].join(" + "));
    assert!(prepare_program(&sum, &options).diagnostics.is_empty());
}

#[test]
fn quotes_and_comments_cannot_hide_depth() {
    let deep = "(".repeat(60_000);
    for hide in [
        format!("a = b\n/'/ {deep}"),
        format!("if (a) /[(]'/.test(b); {deep}"),
        format!("x = {{}} / '1'; {deep} /'"),
        format!("({deep}\")))))\" + "),
        format!("`}}` {deep}"),
        format!("a++ /'/ {deep} /'"),
        format!("//\u{2028}{deep}"),
        format!("'\\\n' {deep}"),
        format!("/*/ {deep}"),
        format!("<!--\n{deep}"),
        format!("`${{`}}`}}` {deep}"),
    ] {
        survive(&hide);
    }
}

#[test]
fn a_tokeniser_that_is_led_astray_costs_no_stack() {
    // Each unit closes a bracket for a reader that takes `/…/` for a regular expression, or for one that does not.
    for unit in [
        "(a)/1)/(",
        "[b/1]/[",
        "{}/1)/(",
        "f(')'/1)/(",
        "`${/`}/}`+(",
        "x=>{}/1)/(",
    ] {
        for times in [100, 5_000, 100_000] {
            survive(&unit.repeat(times));
            survive(&format!("({})", unit.repeat(times)));
        }
    }
}

#[test]
fn trials_of_type_arguments_do_not_multiply() {
    for unit in [
        "b<(a=",
        "a<b<(c=",
        "f<{a:(b=",
        "x<[y<(z=",
        "a<(b=>c<(d=",
        "async<(a=",
    ] {
        for times in [8, 16, 30, 60, 200, 499] {
            survive(&unit.repeat(times));
            survive(&format!("let x: a = {}", unit.repeat(times)));
            survive(&format!("{};{}", unit.repeat(7), unit.repeat(times)));
        }
        for nested in [1, 3, 5] {
            let statement = format!("{};", unit.repeat(nested));
            survive(&statement.repeat((1 << 18) / statement.len()));
            let closed = format!("{}1{};\n", unit.repeat(nested), ")".repeat(nested));
            survive(&format!(
                "{}let x: =",
                closed.repeat((1 << 18) / closed.len())
            ));
        }
    }
}

#[test]
fn dynamic_code_is_survived_too() {
    let options = options();
    for form in FORMS {
        for times in [499, 100_000] {
            let code = build(form, times);
            for kind in [
                DynamicKind::DirectEval,
                DynamicKind::AsyncFunction,
                DynamicKind::Module,
            ] {
                let _ = prepare_dynamic(kind, Some(&code), &code, &options);
                let _ = prepare_dynamic(kind, None, &code, &options);
            }
        }
    }
}

#[test]
fn a_small_stack_is_enough_for_the_caller() {
    let run = || {
        for form in FORMS {
            for times in [20, 100, 400] {
                survive(&build(form, times));
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn strange_characters_are_survived() {
    for code in [
        "\0",
        "\u{1}",
        "\u{7f}",
        "\u{feff}\u{feff}",
        "\u{2028}",
        "\\u{110000}",
        "\\u{",
        "\u{10ffff}",
        "a\u{200d}b",
        "'\u{2028}'",
        "#!",
        "#!\u{2028}x",
        "\\",
        "\u{e000}",
        "``````",
        "```",
        "```\n```",
        "~~~",
        "```js",
        "``` ```",
        "\u{feff}```js\nf()\n```",
        "let \u{1d7d8}",
        "/\\u{}/u",
        "\"\\u\"",
        "0x",
        "1e",
        "1__0",
        "0b2",
        "1n.5",
        ".",
        "..",
        "...",
        "?.",
        "=>",
        "@",
        "#",
    ] {
        survive(code);
        let _ = prepare_dynamic(DynamicKind::Function, Some(code), code, &options());
    }
}
