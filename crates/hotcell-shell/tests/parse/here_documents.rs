//! Here-documents.

use hotcell_shell::ast::{Command, CompleteCommand, HereDocument, Part, RedirectTarget};
use std::sync::Arc;

use crate::cases::{parse, transcript};

/// The documents of the first command.
fn documents(commands: &[CompleteCommand]) -> Vec<Arc<HereDocument>> {
    let Command::Simple(simple) = &commands[0].list.items[0].command.first.first else {
        panic!()
    };
    let document = |target: &RedirectTarget| match target {
        RedirectTarget::HereDocument(document) => Some(Arc::clone(document)),
        RedirectTarget::Word(_) => None,
    };
    simple
        .redirects
        .iter()
        .filter_map(|redirect| document(&redirect.target))
        .collect()
}

fn text(document: &HereDocument) -> String {
    String::from_utf8(document.text().to_vec()).unwrap()
}

#[test]
fn a_document_ends_at_its_delimiter() {
    for (script, expected, commands) in [
        ("cat <<E\na\nb\nE\nc", "a\nb\n", 2),
        ("cat <<E\nE", "", 1),
        ("cat <<'E F'\n$a\nE F\n", "$a\n", 1),
        ("cat <<E\"F\"\na\nEF\n", "a\n", 1),
        ("cat <<\\E\na\nE\n", "a\n", 1),
        ("cat <<-E\n\ta\n\t\tb\n\tE\nc", "a\nb\n", 2),
        ("cat <<E\n\tE\nE\n", "\tE\n", 1),
        ("cat <<E\na\\\nb\nE\n", "ab\n", 1),
        ("cat <<E\na\\\nE\nE\n", "aE\n", 1),
        ("cat <<E\na\\\\\nE\n", "a\\\\\n", 1),
        ("cat <<'E'\na\\\nE\n", "a\\\n", 1),
        ("cat <<$(a)\nb\n$(a)\n", "b\n", 1),
        ("cat <<E\\\nF\na\nEF\n", "a\n", 1),
        ("cat <<E 'b\nc'\na\nE\n", "a\n", 1),
        ("cat <<E; b $(c\nd)\na\nE\n", "a\n", 1),
    ] {
        let found = parse(script);
        let documents = documents(&found);
        assert_eq!(text(&documents[0]), expected, "{script:?}");
        assert_eq!(found.len(), commands, "{script:?}");
        assert_eq!(transcript(&found, None), "", "{script:?}");
    }
}

#[test]
fn documents_come_in_the_order_of_their_operators() {
    let commands = parse("cat <<A 3<<B <<-C\na\nA\nb\nB\n\tc\nC\n");
    let texts: Vec<_> = documents(&commands)
        .iter()
        .map(|document| text(document))
        .collect();
    assert_eq!(texts, ["a\n", "b\n", "c\n"]);
}

#[test]
fn only_a_document_whose_delimiter_is_not_quoted_is_expanded() {
    let body = |script: &str| {
        let commands = parse(script);
        let documents = documents(&commands);
        documents[0].body().unwrap().clone()
    };
    assert_eq!(
        body("cat <<'E'\n$a\nE\n")
            .constant()
            .map(|text| text.to_vec()),
        Some(b"$a\n".to_vec())
    );
    assert_eq!(
        body("cat <<E\na *\nE\n")
            .constant()
            .map(|text| text.to_vec()),
        Some(b"a *\n".to_vec())
    );
    let word = body("cat <<E\n$a `b` \\$c \"d\" ${e:-\"f\"}\nE\n");
    let [Part::DoubleQuoted(parts)] = word.parts() else {
        panic!()
    };
    assert!(matches!(parts[0], Part::Parameter(_)));
    assert!(matches!(parts[2], Part::Command(_)));
    assert!(matches!(parts[4], Part::Escaped(b'$')));
    assert!(body("cat <<E\nE\n").parts().is_empty());
}

#[test]
fn what_is_wrong_in_a_document_is_noticed_when_it_is_expanded() {
    for (script, is_broken) in [
        ("cat <<E\n$(fi)\nE\n", true),
        ("cat <<E\n$(a\nE\nb", true),
        ("cat <<E\n${x\nE\n", false),
    ] {
        let commands = parse(script);
        let documents = documents(&commands);
        let [Part::DoubleQuoted(parts)] = documents[0].body().unwrap().parts() else {
            panic!()
        };
        match &parts[0] {
            Part::Broken(_) => assert!(is_broken, "{script}"),
            Part::BadSubstitution(_) => assert!(!is_broken, "{script}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_end_of_file_ends_a_document_with_a_warning() {
    for (script, expected) in [
        (
            "cat <<E\na",
            "bash: line 2: warning: here-document at line 1 delimited by end-of-file (wanted `E')",
        ),
        (
            "\ncat <<'E F'",
            "bash: line 2: warning: here-document at line 2 delimited by end-of-file (wanted `E F')",
        ),
        (
            "a $(cat <<E\nb\nE)\nc",
            "bash: line 3: warning: here-document at line 1 delimited by end-of-file (wanted `E')",
        ),
        (
            "a $(cat <<E)\nb\nE\n",
            "bash: line 1: warning: command substitution: 1 unterminated here-document",
        ),
    ] {
        assert_eq!(transcript(&parse(script), None), expected, "{script:?}");
    }
}

#[test]
fn documents_inside_of_substitutions_are_their_own() {
    let commands = parse("cat <<A $(cat <<B\nb\nB\n)\na\nA\nc");
    assert_eq!(commands.len(), 2);
    assert_eq!(text(&documents(&commands)[0]), "a\n");
}
