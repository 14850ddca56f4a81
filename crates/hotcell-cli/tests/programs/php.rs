//! PHP's basics.

use crate::{is_killed, with};

#[test]
fn code_scripts_files_and_streams() {
    let shell = with("php");
    for (command, says) in [
        ("php -r 'echo 1 + 1, \"\\n\", PHP_MAJOR_VERSION;'", "2\n8"),
        (
            "echo '<?php echo strtoupper(fgets(STDIN)), $argv[1]; exit(3);' > a.php; echo hi | php a.php x | cat; echo \" ${PIPESTATUS[@]}\"",
            "HI\nx 0 3 0",
        ),
        (
            "php -r 'file_put_contents(\"o.txt\", json_encode([\"a\" => [1, null, \"x\"]])); echo getcwd(), count(json_decode(file_get_contents(\"o.txt\"), true)[\"a\"]);'; cat o.txt",
            "/workspace3{\"a\":[1,null,\"x\"]}",
        ),
        (
            "php -r 'echo preg_replace(\"/(\\w+) (\\w+)/\", \"$2 $1\", \"hello world\"), date(\" Y-m-d \", 0); function g() { yield 1; yield 2; } foreach (g() as $x) echo $x; try { throw new Exception(\"x\"); } catch (Exception $e) { printf(\" %s %05.2f\", get_class($e), M_PI); }'",
            "world hello 1970-01-01 12 Exception 03.14",
        ),
        (
            "seq 3 | php -r 'while (($l = fgets(STDIN)) !== false) echo $l * 2, \"\\n\";' | sort -r",
            "6\n4\n2",
        ),
    ] {
        assert_eq!(shell.sh(command).ok(), says, "{command}");
    }
    let ran = shell.sh("php -r 'nosuch();'");
    assert_eq!(ran.code, 255, "{ran}");
    assert!(ran.stdout.contains("undefined function nosuch()"), "{ran}");
}

#[test]
fn it_is_killed_in_the_middle_of_a_loop() {
    is_killed(
        || with("php"),
        &["php -r 'while (true);'"],
        "php -r 'echo \"well\", PHP_EOL;'",
        "well",
    );
}
