//! One operation on much data: between its beginning and its end, too, it can be killed.

use std::time::Duration;

use hotcell_sandbox::{Limits, Sandbox, SandboxOptions};

use crate::{alone, machine};

/// How long an operation may go on after it was told to stop. What it holds has to be freed, which takes a while for millions of
/// pieces.
const GRACE: Duration = Duration::from_millis(50);

/// What operations work on, or a `part` of it: `$t` text of 8 MB, `$w` 400,000 words, `$l` one long word, `a` an array, `m` a table.
const SETUP: &str = r#"
    t=$(seq 1 $((1100000 / part))); w=$(seq 1 $((400000 / part)) | tr '\n' ' ')
    l=$(head -c $((6000000 / part)) /dev/zero | tr '\0' a)
    a=($w); declare -A m; for ((i = 0; i < 60000 / part; i++)); do m[k$i]=v$i; done
    printf %s "$t" > t; printf %s "$l" > l; seq 1 2 $((800000 / part)) > odd; seq 2 2 $((800000 / part)) > even
    seq $((300000 / part)) | jq -c '{a: ., b: [., {c: "text"}]}' > json; seq $((300000 / part)) | shuf > mixed
    mkdir d; cd d; for ((i = 1; i <= 15000 / part; i++)); do touch $i; done; cd ..
"#;

const OPERATIONS: &[&str] = &[
    "echo {1..600000} > /dev/null",
    "x=({1..500000})",
    "x=($w)",
    "x=(${a[@]})",
    "x=(\"${a[@]}\")",
    "x=\"${a[*]}\"",
    "x=(\"${a[@]/1/x}\")",
    "x=(\"${a[@]#1}\")",
    "x=(\"${!a[@]}\")",
    "x=\"${m[*]}\"; y=\"${!m[*]}\"; x=(\"${m[@]}\")",
    "declare -p a m > /dev/null",
    "declare -p > /dev/null; set > /dev/null",
    "set -- $w; x=$*; shift 100; for i; do :; done",
    "printf '%s\\n' $w > /dev/null",
    "printf -v x '%q' \"$t\"",
    "x=${t//1/yy}; x=${t//$'\\n'/ }",
    "x=${t^^}; x=${x,,}; x=${t~~}",
    "x=${t@Q}; x=${t@E}; x=${t@U}; x=${a[@]@A}",
    "x=${t##*9}; x=${t%%9*}; x=${t#*55555}",
    "x=${l//+(a)/b}",
    "x=${l/%*(a|aa)/b}",
    "[[ $l =~ ^(a|aa)+$ ]]",
    "[[ $t == *9999991* ]]; [[ $l == *b* ]]; [[ $l == *(a) ]]; [[ $l < $t ]]",
    "case $l in *b) ;; +(aa)b) ;; esac",
    "x=${#t}; x=${t:5000000:10}; x=${t: -5}; x=${l:1:5000000}",
    "mapfile x < t; mapfile -t x <<< \"$t\"",
    "read -d '' -a x <<< \"$w\"",
    "while read -r x; do :; done < t",
    "IFS=1; x=($t); IFS=' '; x=\"${x[*]}\"",
    "x=$(cat t t t)",
    "cat <<< \"$t$t\" > /dev/null",
    "eval \"x=($w)\"",
    "eval \"$(printf 'f%s() { :; }\\n' {1..30000})\"",
    "eval \"$(printf 'x%s=1;' {1..200000})\"",
    "x=$((${w// /+}0))",
    "let x=${w// /+}0",
    "test -n \"$t\" -a \"$t\" = \"$l\"",
    "export t; for i in 1 2 3; do true; env > /dev/null; done",
    "cd d; x=(*); x=(*1*5*); x=(**); echo * > /dev/null",
    "unset a m; x=($w); x+=($w); unset 'x[5]' x",
    "b=(\"${a[@]}\"); b[3]=x; b=(\"${b[@]}\" y)",
    "x=; for i in {1..100000}; do x+=$i; done",
    "history -s $w; history > /dev/null",
    "compgen -W \"$w\" 5 > /dev/null; compgen -v > /dev/null",
    "f() { local x=$1; }; for i in {1..100}; do f \"$t\"; done",
    "sort t; sort -n mixed; sort -r -k1,1 mixed; sort -R mixed; sort -u mixed; sort -V mixed; sort -h mixed; sort -M mixed",
    "sort -c t; sort -m odd even; sort --parallel=4 -S 1M mixed",
    "shuf t; shuf -n 5 t; shuf -i 1-1000000",
    "tac t; rev t; rev l; nl t; uniq -c t; uniq -D t; cut -c1-3 t; cut -d1 -f2- t; fold -w 3 l; fmt t; pr t; expand t; unexpand -a t",
    "paste t odd even; paste -s t; join odd even; comm odd even; column -t json; column t; tsort mixed; split -l 100000 t",
    "wc t l; wc -L l; od -x t; xxd t; hexdump -C t; strings t; base64 t; base64 t | base64 -d; base32 l; md5sum t; sha512sum t; cksum t; b2sum l; sum t",
    "tr 0-9 a-j < t; tr -d '\\n' < t; tr -s 0-9 < t; tr -cd 5 < t",
    "grep 5 t; grep -v 5 t; grep -c . t; grep -o . t; grep -E '(1|2|3)+$' t; grep -P '(?<=1)2' t; grep -w 55 t; grep -f <(seq 2000) t; grep -F -f <(seq 20000) t; grep -i A l; grep -z x t",
    "grep -E '(aaa*)*b' l; grep -P '^(a|b)*c' l; grep 'a*a*a*a*b' l; sed 's/a*a*b/x/' l; sed -E 's/(a*)(a*)(a*)b/\\3\\2\\1/' l",
    "sed s/1/2/g t; sed -n '$p' t; sed -n '/5/,/7/p' t; sed ':a;N;$!ba;s/\\n/ /g' t; sed G t; sed -n 'H;${x;s/\\n/,/g;p}' t; sed y/123/456/ t",
    "awk '{ s += $1; a[$1] = NR } END { n = asorti(a, b); print n, s }' t",
    "awk '{ x = x $0 } END { gsub(/1/, \"yy\", x); print length(x), index(x, \"zz\"), split(x, p, \"5\"), toupper(x) }' t",
    "awk 'BEGIN { for (i = 0; i < 3000000; i++) s += sin(i) }'; awk 'BEGIN { x = sprintf(\"%5000000d\", 1); while (sub(/ /, \"\", x) && n++ < 300); print substr(x, 5) }'",
    "awk '{ $1 = $1; $2 = \"x\"; print; n = split($0, c, \"\") }' l t; awk 'BEGIN { RS = \"\" } { print NF }' t; awk -F '' '{ print NF }' l",
    "rg 5 t; rg -o . t; rg -c 'a+b' l; rg -U '5\\n6' t; rg -w 55 . ; rg --json 555 t; rg -r x 5 t",
    "find / -name '*55*'; find / -regex '.*5.*5.*'; find / -type f -size -1 | wc -l; find d -printf '%p %s\\n'; ls -lR /; ls -lt d; ls -S d; du -a /; tree /",
    "jq -s . json; jq -s 'map(.a) | add' json; jq -s 'sort_by(-.a)' json; jq -s 'group_by(.a % 10) | map(length)' json; jq -s 'unique_by(.a % 100)' json; jq -c . json; jq -R . t; jq -Rs 'split(\"\\n\") | length' t",
    "jq -n '[range(500000)] | map(. * 2) | reverse | index(5)'; jq -n '[range(400000)] | map(tostring) | join(\",\") | length'; jq -n 'reduce range(1000000) as $i (0; . + $i)'; jq -n '[range(300000)] | to_entries | from_entries? // 1'; jq -s 'tojson | fromjson | length' json; jq -n '[limit(300000; repeat(1))] | tostream' | tail -1",
    "jq -Rs 'test(\"(1|2)+x\")' t; jq -Rs 'gsub(\"1\"; \"yy\")' t; jq -Rs 'ascii_downcase | explode | implode | length' t; jq -Rs '@base64 | @base64d | @uri | @json | @html | @sh | length' t; jq -Rs '[match(\"1\"; \"g\").offset] | length' t; jq -Rs 'ltrimstr(\"1\") | split(\"1\") | join(\"x\") | length' t",
    "jq -n '[range(200)] | combinations(2)' | tail -1; jq -n '[[range(300)], [range(300)]] | transpose | flatten | length'; jq -n '[range(100000)] | . - [range(0; 100000; 2)] | length'; jq -n '[range(100000)] | inside([range(100001)])'; jq -n '\"x\" * 5000000 | ascii_upcase'",
    "yq -o=json . json; seq 100000 | sed 's/^/- /' | yq length; yq -P . <(head -50000 json)",
    "gzip -9 -c t | gunzip; bzip2 -c t | bunzip2; xz -9 -c t | unxz; zstd -19 -c t | zstd -d; gzip -c l | gunzip; bzip2 -c l | bunzip2; xz -c l | unxz; zip -q z.zip t l json; unzip -p z.zip; unzip -t z.zip",
    "tar cf x.tar d t l; tar tf x.tar; tar xf x.tar -O; tar czf - d | tar tzf -; tar cJf - t | tar tJf -",
    "diff odd even; diff -u t <(sed s/5/6/ t); diff -y odd even; diff -r d d; cmp t t; diff <(tac t) t; diff -w l t; sdiff odd even; diff <(shuf -n 20000 t) <(shuf -n 20000 t)",
    "diff -u <(seq 100000) <(seq 100000 | sed s/7/8/) > p; seq 100000 > f; patch f p; patch -R f p; echo ',s/1/2/g' | ed -s f; printf '%s\\n' 'g/5/s//6/' w q | ed -s f",
    "echo '2^2000000' | bc | tail -c 5; echo '5000!' | bc; echo 'scale=20000; 4*a(1)' | bc -l | tail -c 5; echo 'define f(n) { if (n < 2) return 1; return n * f(n - 1); } f(4000)' | bc | tail -c 5; echo '10^100000 % 7; sqrt(7^200000)' | bc | tail -c 5",
    "echo '2 1000000 ^ p' | dc | tail -c 5; echo '20k 2v p 3 200000 ^ 7 100000 ^ / p' | dc | tail -c 5; echo '5 200000 ^ 10 i 16 o p' | dc | tail -c 5; echo \"$l\" | dc",
    "factor 1000000016000000063 123456789012345678901234567890; seq 1 200000 | factor | tail -1; expr \"$l\" : 'a*'; expr \"$(head -c 100000 l)\" : '\\(a*\\)*b'; expr index \"$(head -c 100000 l)\" b; numfmt --to=iec < t; seq -w 1000000; seq -f %.3g 500000; seq 1 0.1 100000",
    "date -d \"$(head -c 100000 l)\"; date -f t; cal 1-9999; printf '%.100000f\\n' 1; printf '%d\\n' $w; printf '%b' \"$t\"; printf '%-500000s|' x; printf '%(%F)T\\n' $w",
    "xargs -n 100 < mixed; xargs echo < t; xargs -I{} echo {} < <(head -3000 t); xargs -d '\\n' printf '%s,' < t; tee a1 a2 < t; dd if=t of=o bs=7; dd if=t conv=swab,ucase; iconv -f latin1 -t utf-16 t | iconv -f utf-16 -t utf-8; csplit -q t '/5000/' '{50}'; install t i; truncate -s 1G g; cp g h; cat g | head -c 300000000 | wc -c; cmp g h",
    "js -p \"let s = 0; for (let i = 0; i < 3e7; i++) s += i; s\"; js -p \"[...Array(500000).keys()].map(String).sort().join().length\"; js -p \"JSON.parse(JSON.stringify([...Array(300000).keys()])).length\"; js -p \"require('fs').readFileSync('t', 'utf8').replace(/1/g, 'yy').length\"; js -e \"for (let i = 0; i < 100000; i++) console.log(i)\"; js -p \"/^(a+)+b/.test('a'.repeat(28))\"; js -p '7n ** 300000n % 5n'",
    "cp -r d e; mv d f; rm -r e; ln f/1 g1; chmod -R 700 f; chown -R user f; touch f/*; stat f/* ; file f/*; rmdir f; rm -r f; mkdir -p x/{1..3000}; rmdir x/*; readlink -f x/../x; realpath x/..; mktemp -d; basename -a $w; dirname $w; pathchk -p \"$l\"",
    "getopt -o ab:c -l long,other: -- -a -b x $w; sum t; od -c l; pr -3 t; ls -C d; column -c 200 t; fmt -w 100 l; fold -s -w 40 t; look 55 t; look 5 t; tail -n 500000 t; head -n -500000 t; tail -c 5000000 t; split -n 7 t; nl -b p5 t; uniq -c -f1 json; join -a1 -a2 odd even; comm -3 odd even; cut -f1-3 -d, json; tr a-z A-Z < json; paste -d, - - - < t",
];

fn sandbox() -> Sandbox {
    let limits = Limits {
        memory: 1 << 30,
        file_bytes: 1 << 30,
        time: Duration::from_secs(600),
        cpu_time: Duration::from_secs(600),
        ..Limits::default()
    };
    Sandbox::create(SandboxOptions::default().limits(limits)).unwrap()
}

/// Of the parts of all operations, how many there are for one that is tried where not all are.
const SHARE: usize = 24;
/// What part of the data it gets.
const PART: usize = 20;

#[test]
#[ignore = "takes more than a minute on a busy machine"]
fn one_operation_on_much_data_can_be_killed_in_the_middle() {
    try_every(SHARE, PART);
}

#[test]
#[ignore = "takes more than ten minutes"]
fn every_operation_on_much_data_can_be_killed_in_the_middle() {
    try_every(1, 1);
}

fn try_every(share: usize, part: usize) {
    let _alone = alone();
    let origin = sandbox();
    let made = pollster::block_on(origin.run(format!("part={part}; {SETUP}"))).unwrap();
    assert_eq!(made.exit_code, 0, "{}", made.stderr_text());
    let mut number = 0;
    let mut wrong = Vec::new();
    // `HOTCELL_BULK` names a part of those that are to be measured.
    let only = std::env::var("HOTCELL_BULK").unwrap_or_default();
    for operation in OPERATIONS
        .iter()
        .filter(|operation| operation.contains(&only))
    {
        let parts: Vec<&str> = if operation.contains("$(") {
            vec![operation]
        } else {
            operation.split("; ").collect()
        };
        // What comes after the first may need it.
        for (index, part) in parts.iter().enumerate() {
            number += 1;
            if number % share != 0 && only.is_empty() {
                continue;
            }
            let before = parts.get(..index).unwrap_or_default().join("; ");
            wrong.extend(measure(&origin, &before, part));
        }
    }
    wrong.sort_by_key(|(over, _)| std::cmp::Reverse(*over));
    let wrong: Vec<String> = wrong
        .iter()
        .map(|(over, part)| format!("{over:?} {part}"))
        .collect();
    assert!(wrong.is_empty(), "went on:\n{}", wrong.join("\n"));
}

/// Runs a part of a script to its end, and again up to when most of it is done. What a single poll takes is what nobody can
/// interrupt; the last one of a run that is killed includes the freeing.
fn measure(origin: &Sandbox, before: &str, part: &str) -> Option<(Duration, String)> {
    let base = origin.fork().unwrap();
    if !before.is_empty() {
        let prepare = format!("{{ {before}; }} > /dev/null 2>&1");
        pollster::block_on(base.run(prepare.as_str())).unwrap();
    }
    let script = format!("{{ {part}; }} > /dev/null 2>&1");
    let (whole, mut worst) = longest_poll(&base, &script, None);
    if whole > GRACE {
        worst = worst.max(longest_poll(&base, &script, Some(whole * 9 / 10)).1);
    }
    if worst <= GRACE {
        return None;
    }
    eprintln!("{worst:?} of {whole:?}: {part}");
    Some((worst, part.to_owned()))
}

/// How long a script computes, and for how long at once, if it is killed at some point or never.
fn longest_poll(base: &Sandbox, script: &str, kill: Option<Duration>) -> (Duration, Duration) {
    let me = machine::current_thread();
    let sandbox = base.fork().unwrap();
    let mut running = std::pin::pin!(sandbox.run(script));
    let canceller = running.canceller();
    let mut worst = Duration::ZERO;
    let began = machine::thread_time(me);
    let mut now = began;
    pollster::block_on(std::future::poll_fn(|context| {
        if kill.is_some_and(|kill| now.saturating_sub(began) >= kill) {
            canceller.cancel();
        }
        let polled = running.as_mut().poll(context);
        let then = std::mem::replace(&mut now, machine::thread_time(me));
        worst = worst.max(now.saturating_sub(then));
        polled
    }))
    .unwrap();
    (now.saturating_sub(began), worst)
}
