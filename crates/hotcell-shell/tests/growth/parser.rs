//! What the parser reads.

use crate::{Case, all_grow_as_they_should, each, script};

#[test]
fn what_the_parser_reads_costs_as_much_as_there_is() {
    all_grow_as_they_should(
        "parser::what_the_parser_reads_costs_as_much_as_there_is",
        CASES,
    );
}

const CASES: &[Case] = &[
    script("commands on lines", 4_000, |n| ":\n".repeat(n)),
    script("commands on a line", 4_000, |n| ":; ".repeat(n)),
    script("words", 20_000, |n| format!(": {}", "a ".repeat(n))),
    script("one word", 400_000, |n| format!(": {}", "a".repeat(n))),
    script("a single-quoted word", 400_000, |n| {
        format!(": '{}'", "a".repeat(n))
    }),
    script("a double-quoted word", 200_000, |n| {
        format!(": \"{}\"", "a\\$".repeat(n))
    }),
    script("an ANSI-C word", 100_000, |n| {
        format!(": $'{}'", "\\x41b".repeat(n))
    }),
    script("pieces of a word", 20_000, |n| {
        format!(": {}", "a'b'\"c\"".repeat(n))
    }),
    script("escaped characters", 100_000, |n| {
        format!(": {}", "\\a".repeat(n))
    }),
    script("joined lines", 50_000, |n| {
        format!(": {}", "a\\\n".repeat(n))
    }),
    script("comments", 20_000, |n| "# comment\n".repeat(n)),
    script("one comment", 400_000, |n| format!("# {}", "c".repeat(n))),
    script("empty lines", 100_000, |n| "\n".repeat(n)),
    script("assignments", 5_000, |n| each(n, |i| format!("v{i}=1\n"))),
    script("assignments to one command", 5_000, |n| "a=1 ".repeat(n)),
    script("and", 2_000, |n| format!("{} :", ": &&".repeat(n))),
    script("or", 2_000, |n| format!("{} :", "! : ||".repeat(n))),
    script("negations", 20_000, |n| format!("{} :", "! ".repeat(n * 2))),
    script("levels of braces", 50, |n| {
        format!("{} : {}", "{ ".repeat(n), ";}".repeat(n))
    }),
    script("levels of parentheses", 20, |n| {
        format!("{} : {}", "(".repeat(n), ")".repeat(n))
    }),
    script("a here-document", 20_000, |n| {
        format!(": <<E\n{}E\n", "text $x\n".repeat(n))
    }),
    script("a quoted here-document", 20_000, |n| {
        format!(": <<'E'\n{}E\n", "text $x\n".repeat(n))
    }),
    script("here-documents", 2_000, |n| ": <<E\ntext\nE\n".repeat(n)),
    script("here-documents of one command", 1_000, |n| {
        format!(": {}\n{}", "<<E ".repeat(n), "text\nE\n".repeat(n))
    }),
    script("here-strings", 4_000, |n| ": <<< text\n".repeat(n)),
    script("redirections", 2_000, |n| {
        format!(": {}", "</work/data ".repeat(n))
    }),
    script("functions", 2_000, |n| {
        each(n, |i| format!("f{i}() {{ :; }}\n"))
    }),
    script("one function again", 4_000, |n| "f() { :; }\n".repeat(n)),
    script("case items", 5_000, |n| {
        let items = each(n, |i| format!("a{i}) ;; "));
        format!("case x in {items} esac")
    }),
    script("case patterns", 5_000, |n| {
        format!("case x in {} b) ;; esac", "a | ".repeat(n))
    }),
    script("elif", 2_000, |n| {
        format!("if false; then :; {} fi", "elif false; then :; ".repeat(n))
    }),
    script("elements of an array", 10_000, |n| {
        format!("a=({})", "1 ".repeat(n))
    }),
    script("subscripted elements of an array", 5_000, |n| {
        format!("a=({})", each(n, |i| format!("[{i}]=x ")))
    }),
    script("substitutions", 500, |n| format!(": {}", "$(:) ".repeat(n))),
    script("levels of substitutions", 10, |n| {
        format!(": {} {}", "$(: ".repeat(n), ")".repeat(n))
    }),
    script("backquotes", 500, |n| format!(": {}", "`:` ".repeat(n))),
    script("expansions", 10_000, |n| {
        format!(": {}", "${x:-a} ".repeat(n))
    }),
    script("levels of expansions", 100, |n| {
        format!(": {}a{}", "${x:-".repeat(n), "}".repeat(n))
    }),
    script("conditions", 2_000, |n| {
        format!("[[ {} a ]]", "a && ".repeat(n))
    }),
    script("levels of conditions", 50, |n| {
        format!("[[ {} a {} ]]", "( ".repeat(n), " )".repeat(n))
    }),
    script("an arithmetic command", 20_000, |n| {
        format!("(( {} 1 ))", "1 + ".repeat(n))
    }),
    script("an alias, used", 2_000, |n| {
        format!("shopt -s expand_aliases\nalias x=':'\n{}", "x; ".repeat(n))
    }),
    script("aliases in aliases", 200, |n| {
        let chain = each(n, |i| format!("alias a{i}='a{} '\n", i + 1));
        format!("shopt -s expand_aliases\n{chain}alias a{n}=:\na0\n")
    }),
    script("what does not end", 100_000, |n| {
        format!(": \"{}", "a $x ".repeat(n))
    }),
    script("a substitution that does not end", 50_000, |n| {
        format!(": $( {}", "a ".repeat(n))
    }),
    script("eval", 1_000, |n| "eval ':'\n".repeat(n)),
    script("a long text of eval", 4_000, |n| {
        format!("eval '{}'", ":;".repeat(n))
    }),
    script("pipelines", 500, |n| ": | :\n".repeat(n)),
    script("stages of a pipeline", 30, |n| {
        format!("{} :", ": | ".repeat(n))
    }),
    script("for", 1_000, |n| "for i in 1; do :; done\n".repeat(n)),
    script("select and coproc words", 10_000, |n| {
        format!("for i in {}; do :; done", "a ".repeat(n))
    }),
];
