//! The command line of SQLite on database files.

use crate::{is_killed, with};

#[test]
fn a_database_file_is_made_queried_and_changed() {
    let shell = with("sqlite3");
    let ran = shell.sh(
        "sqlite3 db.sqlite \"create table t(a integer primary key, b text); insert into t(b) values('one'),('zwei')\"
        sqlite3 -header -csv db.sqlite 'select * from t' | sort -r
        echo 'select count(*), group_concat(b) from t;' | sqlite3 db.sqlite
        printf 'a,b\\n7,seven\\n' > in.csv; printf '.mode csv\\n.import in.csv imported\\nselect b from imported;\\n' | sqlite3 db.sqlite
        sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 100) select sum(i) from n'
        head -c 15 db.sqlite; ls",
    );
    assert_eq!(
        ran.ok(),
        "a,b\n2,zwei\n1,one\n2|one,zwei\nseven\n5050\nSQLite format 3db.sqlite\nin.csv"
    );
    let ran = shell.sh("sqlite3 x.db 'select nosuch'");
    assert_eq!(
        (ran.code, &*ran.stderr),
        (1, "Error: no such column: nosuch\n")
    );
}

#[test]
fn a_database_file_tells_what_is_in_it() {
    let shell = with("sqlite3");
    let ran = shell.sh(
        "sqlite3 x.db \"create table t(a integer, b text); create index i on t(a); insert into t values(1, 'it''s')\"
        sqlite3 x.db .tables .schema; sqlite3 x.db 'pragma table_info(t)' 'pragma integrity_check' 'pragma journal_mode'
        sqlite3 x.db .dump | sqlite3 y.db; sqlite3 y.db 'select * from t' .indexes",
    );
    assert_eq!(
        ran.ok(),
        "t\nCREATE TABLE t(a integer, b text);\nCREATE INDEX i on t(a);\n0|a|integer|0||0\n1|b|text|0||0\nok\ndelete\n1|it's\ni"
    );
}

#[test]
fn a_transaction_has_its_journal_until_it_ends() {
    let ran = with("sqlite3").sh(
        "sqlite3 x.db 'create table t(a)'
        { echo 'begin; insert into t values(1);'; sleep 0.5; ls >&2; echo 'rollback; select count(*) from t;'; } 2> during | sqlite3 x.db
        cat during; echo; ls; echo 'begin; insert into t values(1); commit;' | sqlite3 x.db; sqlite3 x.db 'select count(*) from t'",
    );
    assert_eq!(ran.ok(), "0\nduring\nx.db\nx.db-journal\n\nduring\nx.db\n1");
}

#[test]
fn a_transaction_that_was_killed_is_rolled_back() {
    // Far more than it keeps in memory, so that the file has been changed when it is killed.
    let ran = with("sqlite3").sh(
        "sqlite3 x.db \"create table t(a integer primary key, b text); insert into t(b) values('kept')\"
        before=$(stat -c %s x.db)
        { echo \"begin; with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000) insert into t(b) select printf('%0500d', i) from n;\"; echo 'select 1;'; sleep 1000; } | sqlite3 x.db > said &
        until [ -s said ]; do sleep 0.05; done
        kill %1; wait 2>/dev/null
        [ $(stat -c %s x.db) -gt $before ] && echo changed; [ -s x.db-journal ] && echo journal
        sqlite3 x.db 'select count(*), b from t'; ls",
    );
    assert_eq!(
        ran.stdout, "changed\njournal\n1|kept\nsaid\nx.db\n",
        "{ran}"
    );
}

#[test]
fn it_is_killed_in_the_middle_of_a_query() {
    is_killed(
        || with("sqlite3"),
        &[
            "sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'",
        ],
        "sqlite3 :memory: 'select 1'",
        "1",
    );
}

#[test]
fn programs_of_several_kinds_stand_in_one_pipeline() {
    let ran = with("sqlite3").and("python").sh(
        "seq 100 | python3 -c 'import sys
for line in sys.stdin: print(\"insert into t values(%d);\" % (int(line) ** 2))' | { echo 'create table t(a);'; cat; echo 'select sum(a) from t;'; } | sqlite3 | awk '{print $1 / 10}'",
    );
    assert_eq!(ran.ok(), "33835");
}
