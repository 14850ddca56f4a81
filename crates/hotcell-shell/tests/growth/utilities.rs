//! What the utilities read.

use std::time::Duration;

use hotcell_meter::Stopped;

use crate::{Case, all_grow_as_they_should, each, line, lines, script};

#[test]
fn what_a_utility_reads_costs_as_much_as_there_is() {
    all_grow_as_they_should(
        "utilities::what_a_utility_reads_costs_as_much_as_there_is",
        CASES,
    );
}

#[test]
fn what_takes_more_than_there_is_by_its_nature_is_stopped_in_time() {
    for command in [
        // As many lines of output as there are pairs.
        "join data data | tail -n 1",
        // A search through all names for each of as many loops.
        "tsort data",
    ] {
        let case = Case {
            name: command,
            size: 50_000,
            data: lines,
            script: None,
        };
        let stopped = case
            .make(case.size)
            .stopped_after(Duration::from_millis(200));
        assert_eq!(stopped, Some(Stopped::Deadline), "{command}");
    }
}

/// Reads many lines.
const fn many(name: &'static str, size: usize) -> Case {
    Case {
        name,
        size,
        data: lines,
        script: None,
    }
}

/// Reads one long line.
const fn long(name: &'static str, size: usize) -> Case {
    Case {
        name,
        size,
        data: line,
        script: None,
    }
}

const CASES: &[Case] = &[
    many("cat data", 20_000),
    many("cat -n data", 20_000),
    many("tac data", 20_000),
    many("rev data", 20_000),
    many("head -n -5 data", 20_000),
    many("tail -n 5 data", 20_000),
    many("tail -n +5 data", 20_000),
    many("wc data", 20_000),
    many("sort data", 10_000),
    many("sort -r data", 10_000),
    many("sort -n -k2 data", 10_000),
    many("sort -u -k1,1 data", 10_000),
    many("sort -V data", 5_000),
    many("sort -h -k2 data", 5_000),
    many("sort -S 64K data", 10_000),
    many("uniq -c data", 20_000),
    many("uniq -D -w4 data", 20_000),
    many("cut -d\" \" -f2,4 data", 20_000),
    many("cut -c3-5 data", 20_000),
    many("tr a-z A-Z < data", 20_000),
    many("tr -cd 0-9 < data", 20_000),
    many("nl data", 10_000),
    many("fold -w 7 data", 10_000),
    many("fmt data", 5_000),
    many("expand data", 20_000),
    many("unexpand -a data", 20_000),
    many("paste data data", 10_000),
    many("paste -s data", 10_000),
    many("sort -k2,2 data > s; join -j 2 s s", 2_000),
    many("comm data data", 10_000),
    many("column -t data", 5_000),
    many("od -c data", 5_000),
    many("xxd data", 5_000),
    many("hexdump -C data", 5_000),
    many("strings data", 20_000),
    many("split -l 100 data", 5_000),
    many("csplit -s data 50", 5_000),
    many("shuf data", 10_000),
    many("awk '{ print NR, NR + 1 }' data | tsort", 2_000),
    many("seq 100000 > out; cat data", 10_000),
    many("numfmt --field=2 < data", 5_000),
    many("grep line data", 20_000),
    many("grep -v line data", 20_000),
    many("grep -c \"[0-9]*7\" data", 10_000),
    many("grep -o \"[0-9]\" data", 5_000),
    many("grep -w of data", 10_000),
    many("grep -x \"line.*words\" data", 10_000),
    many("grep -A1 -B1 7 data", 10_000),
    many("grep -n -b 7 data", 10_000),
    many("grep -P \"\\d+7\" data", 10_000),
    many("grep -E \"(line|of) [0-9]+\" data", 10_000),
    many("grep -F -f data data", 300),
    many("grep -i LINE data", 10_000),
    many("rg line data", 10_000),
    many("sed s/line/word/g data", 10_000),
    many("sed -n \"s/\\([0-9]*\\) of/<\\1>/p\" data", 5_000),
    many("sed \"N;P;D\" data", 5_000),
    many("sed -n \"H;\\${x;p}\" data", 5_000),
    many("sed -n \"\\$=\" data", 20_000),
    many("sed \":a;N;\\$!ba;s/\\n/ /g\" data", 1_000),
    many("awk '{ s += $2 } END { print s }' data", 10_000),
    many(
        "awk '{ a[$2]++ } END { for (k in a) print k, a[k] }' data",
        10_000,
    ),
    many("awk '{ x = x $2 } END { print length(x) }' data", 5_000),
    many("awk '{ gsub(/[0-9]/, \"x\") } 1' data", 5_000),
    many("awk '{ $3 = \"y\" } 1' data", 5_000),
    many("awk '{ print | \"cat\" }' data", 5_000),
    many(
        "awk '{ n = split($0, a, \" \"); t += n } END { print t }' data",
        5_000,
    ),
    many(
        "awk '{ print substr($0, 3, 4), toupper($1), index($0, \"of\") }' data",
        5_000,
    ),
    many("diff data data", 10_000),
    many("sed s/77/8/ data > out; diff data out", 1_000),
    many("cmp data data", 20_000),
    many("gzip -c data > out; gunzip -c out", 10_000),
    many("bzip2 -c data | bunzip2 -c", 5_000),
    many("xz -c data | xz -dc", 3_000),
    many("zstd -qc data | zstd -dqc", 5_000),
    many("tar cf out data; tar xf out", 10_000),
    many("zip -q out.zip data; unzip -oq out.zip", 10_000),
    many("sha256sum data", 10_000),
    many("md5sum data", 10_000),
    many("cksum data", 20_000),
    many("sum data", 20_000),
    many("base64 data | base64 -d", 10_000),
    many("base32 data", 10_000),
    many("xargs < data > out", 2_000),
    many("xargs -n1 < data > out", 200),
    many("tee out < data", 20_000),
    many("dd if=data of=out bs=512 2> e", 5_000),
    many("cp data out; mv out out2; rm out2", 20_000),
    many("file data", 20_000),
    many("iconv -f latin1 -t utf-8 data", 10_000),
    many("jq -R . data", 2_000),
    many("jq -Rs \"split(\\\"\\n\\\") | length\" data", 5_000),
    many(
        "jq -nR \"[inputs | ascii_upcase] | sort | unique | length\" data",
        2_000,
    ),
    many("ed -s data <<< $'g/7/s/7/8/\\nw\\nq'", 1_000),
    long("cat data", 400_000),
    long("rev data", 200_000),
    long("wc data", 200_000),
    long("fold data", 100_000),
    long("fmt data", 50_000),
    long("cut -c5 data", 100_000),
    long("tr a b < data", 200_000),
    long("sort data", 200_000),
    long("uniq data", 200_000),
    long("grep b data", 200_000),
    long("grep a.*a data", 20_000),
    long("grep 'a*b' data", 5_000),
    long("grep -o a data", 20_000),
    long("grep -E '(a|aa)+b' data", 5_000),
    long("grep -E '(a*)*b' data", 5_000),
    long("sed s/a/b/g data", 50_000),
    long("sed 's/a*$//' data", 20_000),
    long("sed 's/b*$//' data", 20_000),
    long("sed y/a/b/ data", 100_000),
    long("awk '{ print length($0) }' data", 200_000),
    long("awk '{ gsub(/a/, \"b\") } 1' data", 50_000),
    long(
        "awk '{ n = split($0, a, \"\") } END { print n }' data",
        20_000,
    ),
    long("awk 'BEGIN { FS = \"a\" } { print NF }' data", 20_000),
    long("expand data", 100_000),
    long("unexpand -a data", 100_000),
    long("column data", 50_000),
    long("od -c data", 20_000),
    long("xxd data", 20_000),
    long("strings data", 200_000),
    long("base64 data", 100_000),
    long("nl data", 100_000),
    long("paste data data", 100_000),
    long("tac data", 200_000),
    long("head -c 10 data", 400_000),
    long("tail -c 10 data", 400_000),
    long("jq -R length data", 50_000),
    long("diff data data", 100_000),
    long("factor 1234567890123456789; cat data", 1_000),
    long("expr length \"$(<data)\"", 100_000),
    long("expr \"$(<data)\" : \"a*b\"", 5_000),
    long("echo \"x=$(<data)\" > f; source ./f", 100_000),
    Case {
        name: "jq over an array",
        size: 2_000,
        data: |n| {
            format!(
                "[{}0]",
                "{\"a\":[1,2,{\"b\":\"text\"}],\"c\":1.5},".repeat(n)
            )
            .into()
        },
        script: Some(|_| "jq '[.[] | objects | .c] | add' data; jq -c . data > out".into()),
    },
    Case {
        name: "jq over levels",
        size: 100,
        data: |n| format!("{}1{}", "[".repeat(n), "]".repeat(n)).into(),
        script: Some(|_| "jq '[..] | length' data".into()),
    },
    Case {
        name: "yq",
        size: 1_000,
        data: |n| each(n, |i| format!("k{i}: [1, {{a: b}}]\n")).into(),
        script: Some(|_| "yq '.k1' data".into()),
    },
    script("bc", 20, |n| format!("echo '2^{}' | bc > out", n * 10)),
    script("bc statements", 1_000, |n| {
        format!("bc > out <<E\n{}E\n", "x=x+1\n".repeat(n))
    }),
    script("dc", 2_000, |n| {
        format!(
            "echo '{}' | dc > out",
            "1 ".repeat(n) + &"+".repeat(n - 1) + "p"
        )
    }),
    script("expr", 100, |n| {
        format!("expr 1 {} > out", "+ 1 ".repeat(n))
    }),
    script("sed scripts", 500, |n| {
        format!("sed '{}' data", "s/a/b/;".repeat(n))
    }),
    script("awk programs", 500, |n| {
        format!("awk 'BEGIN {{ {} }}'", "x = x + 1; ".repeat(n))
    }),
    script("levels of awk", 50, |n| {
        format!(
            "awk 'BEGIN {{ print {}1{} }}'",
            "(".repeat(n),
            ")".repeat(n)
        )
    }),
    script("awk's strings", 2_000, |n| {
        format!("awk 'BEGIN {{ while (i++ < {n}) s = s \"abcdefgh\"; print length(s) }}'")
    }),
    script("alternatives of grep", 200, |n| {
        let words = each(n, |i| format!("w{i}|"));
        format!("echo w5 | grep -E '{words}x' > out")
    }),
    script("levels of groups of grep", 20, |n| {
        format!("echo aab | grep -E '{}a{}'", "(".repeat(n), ")*".repeat(n))
    }),
    script("files: touch, ls, du, find, rm", 200, |n| {
        format!(
            "mkdir d; cd d; touch $(seq {n}); ls -l > /tmp/out; du -a > /tmp/out; find . -name '*7' > /tmp/out; cd ..; cp -r d e; tar cf out d e; rm -r d e"
        )
    }),
    script("a deep tree", 20, |n| {
        let path = "d/".repeat(n);
        format!(
            "mkdir -p {path}; find . > out; du > out; ls -R > out; cp -r d e; tar cf t d; rm -r d e"
        )
    }),
    script("a name with many links", 4, |n| {
        let links = each(n, |i| format!("ln -sf l{} l{i}; ", i + 1));
        format!("{links} : > l{n}; cat l0; realpath l0 > out; rm l*")
    }),
    script("seq", 20_000, |n| format!("seq {n} > out")),
    script("seq of fractions", 5_000, |n| {
        format!("seq 0 .1 {} > out", n / 10)
    }),
    script("yes", 20_000, |n| format!("yes | head -n {n} > out")),
    script("date", 500, |n| {
        format!("date -u -d @0 '+{}' > out", "%Y-%m-%d ".repeat(n))
    }),
    script("basename of many", 1_000, |n| {
        format!("basename -a {} > out", "a/b ".repeat(n))
    }),
    script("echo", 5_000, |n| {
        format!("env echo {} > out", "a ".repeat(n))
    }),
    script("test", 500, |n| format!("env test {} a", "a -a ".repeat(n))),
    script("getopt", 1_000, |n| {
        format!("getopt -o ab -- {} > out", "-a -b x ".repeat(n))
    }),
    script("tr with sets", 200, |n| {
        format!("echo a | tr '{}' b > out", "a-z".repeat(n))
    }),
    script("cut with ranges", 1_000, |n| {
        let list: Vec<String> = (1..=n).map(|i| (i * 2).to_string()).collect();
        format!("echo abc | cut -c {} > out", list.join(","))
    }),
    script("diff of what differs everywhere", 200, |n| {
        format!("seq {n} > a; seq {n} {} > b; diff a b > out", n * 2)
    }),
];
