//! Ruby's basics.

use crate::{is_killed, with};

#[test]
fn code_scripts_files_and_streams() {
    let shell = with("ruby");
    for (command, says) in [
        ("ruby -e 'puts 1 + 1, RUBY_ENGINE'", "2\nruby"),
        ("echo hello | ruby -ne 'puts $_.upcase' | cat", "HELLO"),
        (
            "printf 'b 2\\na 1\\n' > f.txt; ruby -e 'File.write(\"o.txt\", File.readlines(\"f.txt\").sort.join); p Dir.pwd, Dir.glob(\"*\").sort'; cat o.txt",
            "\"/workspace\"\n[\"f.txt\", \"o.txt\"]\na 1\nb 2",
        ),
        (
            "ruby -rjson -rset -e 'puts JSON.generate({a: [1, nil, \"é\"]}), JSON.parse(\"[1,2]\").sum; p Set[1, 2].include?(2)'",
            "{\"a\":[1,null,\"é\"]}\n3\ntrue",
        ),
        (
            "ruby -rcsv -rtime -rerb -e 'p CSV.parse(\"a,b\\n1,2\", headers: true).map(&:to_h); puts Time.at(0).utc.iso8601, ERB.new(\"<%= 3 * 4 %>\").result'",
            "[{\"a\"=>\"1\", \"b\"=>\"2\"}]\n1970-01-01T00:00:00Z\n12",
        ),
        (
            "ruby -e 'f = Fiber.new { Fiber.yield 1; 2 }; p f.resume, f.resume, 2**70, (1..10).each_slice(3).map(&:sum); begin; def g = g; g; rescue SystemStackError; p :deep; end'",
            "1\n2\n1180591620717411303424\n[6, 15, 24, 10]\n:deep",
        ),
        (
            "echo 'p ARGV, ENV[\"X\"], gets' > s.rb; echo in | X=y ruby s.rb a; ruby -e 'exit 3'; echo $?",
            "[\"a\"]\n\"y\"\n\"in\\n\"\n3",
        ),
        (
            "ruby -e 't = Process.clock_gettime(Process::CLOCK_MONOTONIC); sleep 0.2; p Process.clock_gettime(Process::CLOCK_MONOTONIC) - t >= 0.2'",
            "true",
        ),
    ] {
        // ARGV is a file's name to `gets`, unless it is taken away.
        let command = command.replace("gets'", "$stdin.gets'");
        assert_eq!(shell.sh(&command).ok(), says, "{command}");
    }
    let ran = shell.sh("ruby -e 'raise \"bad\"'");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stderr.contains("bad (RuntimeError)"), "{ran}");
}

#[test]
fn it_is_killed_in_the_middle_of_a_loop() {
    is_killed(
        || with("ruby"),
        &["ruby -e 'loop {}'", "ruby -e 'sleep'"],
        "ruby -e 'puts :well'",
        "well",
    );
}
