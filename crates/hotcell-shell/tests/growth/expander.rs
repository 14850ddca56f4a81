//! What the shell expands and keeps.

use crate::{Case, all_grow_as_they_should, each, line, lines, script};

#[test]
fn what_is_expanded_costs_as_much_as_there_is() {
    all_grow_as_they_should(
        "expander::what_is_expanded_costs_as_much_as_there_is",
        CASES,
    );
}

/// Does something with a long text in `x`.
const fn text(name: &'static str, size: usize, script: fn(usize) -> String) -> Case {
    Case {
        name,
        size,
        data: line,
        script: Some(script),
    }
}

/// Does something with a text of words in `x`.
const fn words(name: &'static str, size: usize, script: fn(usize) -> String) -> Case {
    Case {
        name,
        size,
        data: lines,
        script: Some(script),
    }
}

/// Does something with an array `a` of many elements.
const fn array(name: &'static str, size: usize, script: fn(usize) -> String) -> Case {
    words(name, size, script)
}

const CASES: &[Case] = &[
    text("reading a file", 400_000, |_| "x=$(<data)".into()),
    text("a length", 400_000, |_| "x=$(<data); : ${#x}".into()),
    text("a substring", 200_000, |n| {
        format!("x=$(<data); : ${{x:{}:10}} ${{x: -5}}", n / 2)
    }),
    text("a prefix", 100_000, |_| {
        "x=$(<data); : ${x#a} ${x##*a}".into()
    }),
    text("a prefix that is not there", 50_000, |_| {
        "x=$(<data); : ${x#*b} ${x##*b}".into()
    }),
    text("a suffix", 100_000, |_| {
        "x=$(<data); : ${x%a} ${x%%a*}".into()
    }),
    text("a suffix that is not there", 50_000, |_| {
        "x=$(<data); : ${x%b*} ${x%%b*}".into()
    }),
    text("a suffix of stars", 10_000, |_| {
        "x=$(<data); : ${x%*a*a*b} ${x%%*a*a*b}".into()
    }),
    text("a prefix of stars", 10_000, |_| {
        "x=$(<data); : ${x#*a*a*b} ${x##*a*a*b}".into()
    }),
    text("replacing all", 50_000, |_| {
        "x=$(<data); : ${x//a/bb}".into()
    }),
    text("replacing what is not there", 50_000, |_| {
        "x=$(<data); : ${x//b/c}".into()
    }),
    text("replacing what nearly is", 10_000, |_| {
        "x=$(<data); : ${x//a*b/c}".into()
    }),
    text("replacing a set", 50_000, |_| {
        "x=$(<data); : ${x//[a-z]/c}".into()
    }),
    text("replacing with what matched", 50_000, |_| {
        "shopt -s patsub_replacement; x=$(<data); : ${x//a/<&>}".into()
    }),
    text("replacing the first", 50_000, |_| {
        "x=$(<data); : ${x/b/c} ${x/#b/c} ${x/%b/c}".into()
    }),
    text("extended patterns", 5_000, |_| {
        "shopt -s extglob; x=$(<data); : ${x//+(a|b)/c} ${x##+(a)} ${x%%+(a)}".into()
    }),
    text("nested extended patterns", 2_000, |_| {
        "shopt -s extglob; x=$(<data); [[ $x == +(+(a))b ]]; [[ $x == *(a|aa)b ]]".into()
    }),
    text("extended patterns that exclude", 2_000, |_| {
        "shopt -s extglob; x=$(<data); [[ $x == !(a)b ]]; : ${x//!(b)/c}".into()
    }),
    text("upper case", 100_000, |_| {
        "x=$(<data); : ${x^^} ${x,,} ${x^} ${x~~}".into()
    }),
    text("upper case of a pattern", 50_000, |_| {
        "x=$(<data); : ${x^^[a-c]}".into()
    }),
    text("quoting", 100_000, |_| {
        "x=$(<data); : ${x@Q} ${x@E} ${x@P} ${x@A}".into()
    }),
    text("a default", 100_000, |_| {
        "x=$(<data); : ${y:-$x} ${y:=$x} ${x:+$x}".into()
    }),
    text("indirection", 100_000, |_| {
        "x=$(<data); y=x; : ${!y}".into()
    }),
    text("a comparison", 100_000, |_| {
        "x=$(<data); [[ $x == \"$x\" ]]; [[ $x < $x ]]; [ \"$x\" = \"$x\" ]".into()
    }),
    text("a pattern", 100_000, |_| {
        "x=$(<data); [[ $x == *b* ]]; [[ $x == a*a ]]".into()
    }),
    text("a pattern of stars", 5_000, |_| {
        "x=$(<data); [[ $x == *a*a*a*a*b ]]".into()
    }),
    text("a regular expression", 20_000, |_| {
        "x=$(<data); [[ $x =~ ^(a+)+$ ]]; [[ $x =~ b$ ]]".into()
    }),
    text("a regular expression with groups", 10_000, |_| {
        "x=$(<data); [[ $x =~ (a*)(a*)b ]]".into()
    }),
    text("a pattern as long as its text", 20_000, |_| {
        "x=$(<data); [[ $x == ${x//a/?} ]]".into()
    }),
    text("case", 100_000, |_| {
        "x=$(<data); case $x in *b) ;; *c*) ;; a*) ;; esac".into()
    }),
    text("appending", 2_000, |n| {
        format!("x=; for ((i = 0; i < {n}; i++)); do x+=aaaaaaaa; done")
    }),
    text("printf", 100_000, |_| {
        "x=$(<data); printf -v y '%s%q' \"$x\" \"$x\"".into()
    }),
    text("echo -e", 100_000, |_| {
        "x=$(<data); echo -e \"$x\" > /dev/null".into()
    }),
    text("a here-string", 100_000, |_| {
        "x=$(<data); cat <<< \"$x\" > out".into()
    }),
    text("a here-document with it", 100_000, |_| {
        "x=$(<data); cat > out <<E\n$x\nE\n".into()
    }),
    words("splitting", 5_000, |_| "x=$(<data); : $x".into()),
    words("splitting at other characters", 5_000, |_| {
        "x=$(<data); IFS=' o'; : $x".into()
    }),
    words("splitting without blanks", 5_000, |_| {
        "x=$(<data); IFS=,; : $x".into()
    }),
    words("a substitution", 5_000, |_| {
        "x=$(cat data); y=\"$x$x\"".into()
    }),
    words("set --", 5_000, |_| {
        "x=$(<data); set -- $x; : \"$@\" \"$*\" $#".into()
    }),
    words("shift", 500, |_| {
        "x=$(<data); set -- $x; while (($#)); do shift; done".into()
    }),
    words("getopts", 1_000, |n| {
        format!(
            "set -- {}; while getopts ab o; do :; done",
            "-a -b ".repeat(n)
        )
    }),
    words("read", 1_000, |_| {
        "while read -r a b; do :; done < data".into()
    }),
    words("read of fields", 2_000, |_| {
        "read -r -d '' -a a < data".into()
    }),
    words("mapfile", 5_000, |_| {
        "mapfile -t a < data; : ${#a[@]}".into()
    }),
    script("braces", 20_000, |n| format!(": {{1..{n}}}")),
    script("braces with a list", 10_000, |n| {
        format!(": {{{}}}", "a,".repeat(n))
    }),
    script("braces that are none", 20_000, |n| {
        format!(": {}", "{a".repeat(n))
    }),
    script("levels of braces", 100, |n| {
        format!(": {}a,b{}", "{".repeat(n), "}".repeat(n))
    }),
    script("a sum", 5_000, |n| {
        format!(": $(( {} 1 ))", "1 + ".repeat(n))
    }),
    script("powers and comparisons", 5_000, |n| {
        format!(": $(( {} 1 ))", "1 < 2 == ".repeat(n))
    }),
    script("levels of arithmetic", 100, |n| {
        format!(": $(( {}1{} ))", "(".repeat(n), ")".repeat(n))
    }),
    script("conditional arithmetic", 100, |n| {
        format!(": $(( {} 1 ))", "1 ? 1 : ".repeat(n))
    }),
    script("signs", 200, |n| format!(": $(( {} 1 ))", "- ".repeat(n))),
    script("a long number", 50_000, |n| {
        format!(": $(( {} ))", "1".repeat(n))
    }),
    script("names in arithmetic", 200, |n| {
        let chain = each(n, |i| format!("a{i}=a{}\n", i + 1));
        format!("{chain}a{n}=1\n: $(( a0 ))")
    }),
    script("assignments in arithmetic", 2_000, |n| {
        format!("(( {} b = 1 ))", "a = 1, ".repeat(n))
    }),
    script("let", 2_000, |n| format!("let {}", "a+=1 ".repeat(n))),
    array("slices, one by one", 500, |_| {
        "mapfile -t a < data; for ((i = 0; i < ${#a[@]}; i++)); do x=${a[@]:i:1}; done".into()
    }),
    script("a loop", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do :; done")
    }),
    script("calls", 1_000, |n| {
        format!("f() {{ local a=1; }}; for ((i = 0; i < {n}; i++)); do f; done")
    }),
    script("recursion", 30, |n| {
        format!("f() {{ (($1 == 0)) || f $(($1 - 1)); }}; f {n}")
    }),
    script("recursion with locals", 30, |n| {
        format!("f() {{ local x$1=1; (($1 == 0)) || f $(($1 - 1)); }}; f {n}")
    }),
    script("subshells", 500, |n| {
        format!("for ((i = 0; i < {n}; i++)); do (:); done")
    }),
    script("variables", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do eval v$i=1; done")
    }),
    script("variables, and subshells", 500, |n| {
        format!("for ((i = 0; i < {n}; i++)); do eval v$i=1; (:); done")
    }),
    script("exported variables", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do export v$i=1; done; env > out")
    }),
    script("unset", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do eval v$i=1; unset v$i; done")
    }),
    script("names by prefix", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do eval v$i=1; done; : ${{!v*}}")
    }),
    script("declare -p", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do eval v$i=1; done; declare -p > out; set > out")
    }),
    script("history and hash", 1_000, |n| "true | true\n".repeat(n / 4)),
    array("elements", 5_000, |_| {
        "mapfile -t a < data; : \"${a[@]}\" \"${a[*]}\" ${#a[@]} ${!a[@]}".into()
    }),
    array("a slice", 5_000, |n| {
        format!("mapfile -t a < data; : \"${{a[@]:{}:5}}\"", n / 2)
    }),
    array("each element", 5_000, |_| {
        "mapfile -t a < data; : \"${a[@]#l}\" \"${a[@]/i/x}\" \"${a[@]^^}\" \"${a[@]@Q}\"".into()
    }),
    array("elements, one by one", 1_000, |_| {
        "mapfile -t a < data; for ((i = 0; i < ${#a[@]}; i++)); do x=${a[i]}; done".into()
    }),
    array("elements from behind", 1_000, |_| {
        "mapfile -t a < data; for ((i = 1; i < 1000; i++)); do x=${a[-i]}; done".into()
    }),
    script("appending elements", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do a+=(x); done")
    }),
    script("elements backwards", 2_000, |n| {
        format!("for ((i = {n}; i > 0; i--)); do a[i]=x; done")
    }),
    script("elements far apart", 2_000, |n| {
        format!("for ((i = 0; i < {n}; i++)); do a[i*1000]=x; done")
    }),
    script("taking elements away", 1_000, |n| {
        format!(
            "a=({}); for ((i = 0; i < {n}; i++)); do unset \"a[i]\"; done",
            "x ".repeat(n)
        )
    }),
    script("keys", 2_000, |n| {
        format!(
            "declare -A a; for ((i = 0; i < {n}; i++)); do a[k$i]=x; done; : ${{!a[@]}} ${{a[@]}}"
        )
    }),
    script("taking keys away", 1_000, |n| {
        format!(
            "declare -A a; for ((i = 0; i < {n}; i++)); do a[k$i]=x; done; for k in ${{!a[@]}}; do unset \"a[$k]\"; done"
        )
    }),
    array("copies of an array", 2_000, |_| {
        "mapfile -t a < data; b=(\"${a[@]}\"); c=(\"${b[@]}\" x)".into()
    }),
    script("globs", 200, |n| {
        format!("for ((i = 0; i < {n}; i++)); do : > f$i; done; : *")
    }),
    script("globs that match nothing", 200, |n| {
        format!("for ((i = 0; i < {n}; i++)); do : > faaaaaaaaa$i; done; : *a*a*a*b")
    }),
    script("globs in directories", 100, |n| {
        format!("for ((i = 0; i < {n}; i++)); do mkdir -p d$i; : > d$i/f; done; : */*")
    }),
    script("globstar", 100, |n| {
        format!(
            "shopt -s globstar; for ((i = 0; i < {n}; i++)); do mkdir -p d$i/e; : > d$i/e/f; done; : **/f"
        )
    }),
    script("a path", 200, |n| {
        format!("[ -e {}x ]; : > data/{}x", "a/".repeat(n), "./".repeat(n))
    }),
    script("tilde and colons", 5_000, |n| {
        format!("x={}~", "~:".repeat(n))
    }),
    script("traps", 500, |n| {
        format!("trap : DEBUG; {}", ":;".repeat(n))
    }),
    script("set -x", 500, |n| {
        format!("set -x; {}", ": a b c;".repeat(n))
    }),
    script("jobs", 30, |n| format!("{} wait", ": & ".repeat(n))),
    script("process substitutions", 20, |n| {
        "cat <(:) > out\n".repeat(n)
    }),
    script("compgen", 1_000, |n| {
        format!("compgen -W \"{}\" a > out", "ab cd ".repeat(n))
    }),
    script("printf with many arguments", 5_000, |n| {
        format!("printf '%s %d\\n' {} > out", "1 ".repeat(n))
    }),
    script("printf with a long format", 5_000, |n| {
        format!("printf '{}' > out", "%d".repeat(n))
    }),
    script("test with many arguments", 2_000, |n| {
        format!("[ {} a ]", "a -a ".repeat(n))
    }),
];
