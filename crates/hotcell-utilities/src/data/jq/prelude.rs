//! Functions that are written in the language itself.

const SOURCES: &[&str] = &[
    "def values: select(. != null);",
    "def nulls: select(. == null);",
    "def booleans: select(type == \"boolean\");",
    "def numbers: select(type == \"number\");",
    "def strings: select(type == \"string\");",
    "def arrays: select(type == \"array\");",
    "def objects: select(type == \"object\");",
    "def iterables: select(type == \"array\" or type == \"object\");",
    "def scalars: select(type != \"array\" and type != \"object\");",
    "def recurse(f; cond): def r: ., (f | select(cond) | r); r;",
    "def recurse_down: recurse;",
    "def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];",
    "def with_entries(f): to_entries | map(f) | from_entries;",
    "def map_values(f): .[] |= f;",
    "def paths(f): path(.. | select(f)) | select(length > 0);",
    "def leaf_paths: paths(scalars);",
    "def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));",
    "def any: any(.[]; .);",
    "def all: all(.[]; .);",
    "def any(f): any(.[]; f);",
    "def all(f): all(.[]; f);",
    "def first: .[0];",
    "def last: .[-1];",
    "def nth($n): .[$n];",
    "def nth($n; f): if $n < 0 then error(\"Out of bounds negative array index\") else first(skip($n; f)) end;",
    "def in(xs): . as $x | xs | has($x);",
    "def inside(xs): . as $x | xs | contains($x);",
    "def isvalid(f): try (f | true) catch false;",
    "def add(f): reduce f as $x (null; . + $x);",
    "def group_by(f): _group_by(map(_key(f)));",
    "def unique_by(f): [_group_by(map(_key(f)))[] | .[0]];",
    "def min_by(f): _min_by(map(_key(f)));",
    "def max_by(f): _max_by(map(_key(f)));",
    "def sort_by(f): _sort_by(map(_key(f)));",
    "def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;",
    "def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;",
    "def walk(f): def w: if type == \"object\" then map_values(w) elif type == \"array\" then map(w) else . end | f; w;",
    "def env: $ENV;",
    "def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");",
    "def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;",
    "def todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");",
    "def fromdate: fromdateiso8601;",
    "def date: todate;",
    "def dateadd(u; n): . + n;",
    "def datesub(u; n): . - n;",
    "def match(re): match(re; null);",
    "def match($re; $flags): if ($re | type) == \"array\" then _match($re[0]; $re[1]; false)[] else _match($re; $flags; false)[] end;",
    "def test(re): test(re; null);",
    "def test($re; $flags): if ($re | type) == \"array\" then _match($re[0]; $re[1]; true) else _match($re; $flags; true) end;",
    "def capture(re): capture(re; null);",
    "def capture(re; $flags): match(re; $flags) | [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries;",
    "def scan(re): scan(re; null);",
    "def scan(re; $flags): match(re; \"g\" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;",
    "def splits($re): splits($re; null);",
    "def splits($re; flags): split($re; flags) | .[];",
    "def split($re; $flags): . as $s | [foreach (match($re; $flags + \"g\"), null) as $m ({at: 0, out: null}; if $m == null then .out = $s[.at:] else .out = $s[.at:$m.offset] | .at = $m.offset + $m.length end; .out)];",
    "def sub(re; f): sub(re; f; \"\");",
    "def gsub(re; f): sub(re; f; \"g\");",
    "def gsub(re; f; $flags): sub(re; f; $flags + \"g\");",
    "def sub($re; f; $flags): . as $in | reduce _match($re; $flags; false)[] as $e ([{at: 0, out: \"\"}]; \
     [.[] as $state | ($e.captures | map(select(.name != null) | {key: .name, value: .string}) | from_entries | f) as $new \
     | {at: ($e.offset + $e.length), out: ($state.out + $in[$state.at:$e.offset] + $new)}]) \
     | (.[] | .out + $in[.at:]) // $in;",
    "def ascii: [.] | implode;",
    "def finites: select(isinfinite or isnan | not);",
    "def normals: select(isnormal);",
    "def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);",
    "def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init; if .e then $init else . end \
     | if $i | length == 2 then setpath([\"e\"]; $i[0] | length == 0) | setpath([\"x\"] + $i[0]; $i[1]) \
     else setpath([\"e\"]; $i[0] | length == 1) end; if .e then .x else empty end);",
    "def truncate_stream(stream): . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;",
    "def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);",
    "def INDEX(f): INDEX(.[]; f);",
    "def IN(s): any(s == .; .);",
    "def IN(src; s): any(src == s; .);",
    "def JOIN($idx; f): [.[] | [., $idx[f]]];",
    "def JOIN($idx; stream; f): stream | [., $idx[f]];",
    "def JOIN($idx; stream; f; g): stream | [., $idx[f]] | g;",
    "def halt_error: halt_error(5);",
    "def error: error(.);",
    "def debug(m): (m | debug | empty), .;",
    "def abs: if type == \"number\" and . < 0 then -. elif type == \"number\" then . else error(\"\\(type) (\\(tojson)) has no absolute value\") end;",
    "def toarray: if type == \"array\" then . else [.] end;",
    "def have_literal_numbers: true;",
    "def have_decnum: true;",
    "def get_search_list: [];",
];

/// The definition of a function.
pub(crate) fn find(name: &str, arity: usize) -> Option<&'static str> {
    let found = SOURCES
        .iter()
        .find(|source| heading(source) == (name, arity));
    found.copied()
}

/// The names of all, as `builtins` lists them.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, usize)> {
    SOURCES.iter().map(|source| heading(source))
}

fn heading(source: &'static str) -> (&'static str, usize) {
    let rest = source.strip_prefix("def ").unwrap_or(source);
    let end = rest.find(['(', ':']).unwrap_or(rest.len());
    let name = rest.get(..end).unwrap_or_default();
    let params = rest.get(end..).unwrap_or_default();
    let arity = match params.strip_prefix('(') {
        Some(params) => {
            let inside = params.split(')').next().unwrap_or_default();
            inside.matches(';').count() + 1
        }
        None => 0,
    };
    (name, arity)
}
