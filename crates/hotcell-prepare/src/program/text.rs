//! From any text to the text of a program: Markdown, hashbang and HTML-like comments blanked out, then translated, then
//! transformed as the host wants.

use std::borrow::Cow;
use std::collections::HashSet;

use hotcell_meter::{Pace, Stopped};

use super::limits::{describe_cost, describe_depth, too_large};
use super::outcome::Outcome;
use super::translate::{check, in_room, translate};
use crate::diagnostic::Diagnostic;
use crate::extend::Transform;
use crate::fence::{self, Fences};
use crate::lines::{LineIndex, push_blank};
use crate::options::PrepareOptions;
use crate::program::Language;
use crate::rule;
use crate::scan::{Scan, scan, too_costly};
use crate::splice::splice;

pub(super) fn unfence(
    code: &str,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    match fence::find(code) {
        Fences::None => prepare_text(code, options, pace),
        Fences::Certain(stripped) => prepare_text(&stripped, options, pace),
        Fences::Foreign { language, offset } => Ok(Outcome::refused(
            Diagnostic::error(
                rule::SYNTAX_VALID,
                format!("the code block is marked as {language:?}, only JavaScript and TypeScript can run"),
            )
            .with_location(LineIndex::new(code).locate(offset))
            .with_fix("write JavaScript in a block marked as `js`"),
        )),
        Fences::Possible { stripped, lines } => {
            let whole = prepare_text(code, options, pace)?;
            let lines: HashSet<usize> = lines.into_iter().collect();
            let is_fence = |start: &u32| lines.contains(&(*start as usize));
            if whole.language.is_some() && !whole.tagged_templates.iter().any(is_fence) {
                return Ok(whole);
            }
            prepare_text(&stripped, options, pace)
        }
    }
}

fn prepare_text(
    text: &str,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    pace.watch().check()?;
    if text
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .is_empty()
    {
        return Ok(Outcome::refused(
            Diagnostic::error(rule::CODE_NON_EMPTY, "the code is empty")
                .with_fix("write at least one statement"),
        ));
    }
    let text = match without_hashbang(text) {
        Some(blanked) => Cow::Owned(blanked),
        None => Cow::Borrowed(text),
    };
    let found = match scan(&text, options.max_nesting) {
        Ok(found) => found,
        Err(too_deep) => return Ok(Outcome::refused(describe_depth(&too_deep, &text, options))),
    };
    let text = match without_html_comments(&text, &found) {
        Some(blanked) => Cow::Owned(blanked),
        None => text,
    };
    if let Err(costly) = too_costly(&text, options.max_nesting) {
        return Ok(Outcome::refused(describe_cost(&costly, &text)));
    }
    let mut outcome = in_room(&text, || translate(&text, options, pace))?;
    if outcome.transformed.is_none() {
        outcome.transformed = Some(text.into_owned());
    }
    if !outcome.rewrites.is_empty() {
        outcome = rewrite(outcome, options, pace)?;
    }
    for transform in &options.transforms {
        if outcome.findings.has_errors() {
            break;
        }
        outcome = apply(transform.as_ref(), outcome, options, pace)?;
    }
    Ok(outcome)
}

/// A `#!` line is for a shell that never sees the code.
fn without_hashbang(text: &str) -> Option<String> {
    let rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if !rest.starts_with("#!") {
        return None;
    }
    let start = text.len() - rest.len();
    let length = rest
        .find(['\n', '\r', '\u{2028}', '\u{2029}'])
        .unwrap_or(rest.len());
    Some(blanked(text, &[(start, start + length)]))
}

/// The parser reads a module, in which there are no such comments; scripts have them.
fn without_html_comments(text: &str, found: &Scan) -> Option<String> {
    (!found.html_comments.is_empty()).then(|| blanked(text, &found.html_comments))
}

fn blanked(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in ranges {
        out.push_str(text.get(at..start).unwrap_or(""));
        push_blank(&mut out, text.get(start..end).unwrap_or(""));
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// Puts code that a script can have in the place of code that it cannot have.
fn rewrite(
    mut before: Outcome,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    pace.watch().check()?;
    let text = before.transformed.take().unwrap_or_default();
    let rewritten = splice(&text, &before.rewrites, &mut before.map);
    let language = before.language.unwrap_or(Language::JavaScript);
    let (map, tagged_templates) = (before.map, before.tagged_templates);
    let options = PrepareOptions {
        call_function: false,
        ..options.clone()
    };
    let mut outcome = in_room(&rewritten, || {
        check(&rewritten, map, language, &options, pace)
    })?;
    outcome.transformed = Some(rewritten);
    // Offsets of the text as it was given.
    outcome.tagged_templates = tagged_templates;
    Ok(outcome)
}

fn apply(
    transform: &dyn Transform,
    mut before: Outcome,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    pace.watch().check()?;
    let name = transform.name();
    let fail = |why: String| {
        Ok(Outcome::refused(Diagnostic::error(
            rule::SYNTAX_VALID,
            format!("transform {name:?} failed: {why}"),
        )))
    };
    let text = before.transformed.take().unwrap_or_default();
    let transformed = match transform.transform(&text) {
        Ok(transformed) => transformed,
        Err(why) => return fail(why),
    };
    if transformed.len() > options.max_code_bytes {
        return Ok(Outcome::refused(too_large(transformed.len(), options)));
    }
    if let Err(too_deep) = scan(&transformed, options.max_nesting) {
        return fail(describe_depth(&too_deep, &transformed, options).message);
    }
    if let Err(costly) = too_costly(&transformed, options.max_nesting) {
        return fail(describe_cost(&costly, &transformed).message);
    }
    before.map.push_edit(&text, &transformed);
    let language = before.language.unwrap_or(Language::JavaScript);
    let map = before.map;
    let mut outcome = in_room(&transformed, || {
        check(&transformed, map, language, options, pace)
    })?;
    outcome.transformed = Some(transformed);
    Ok(outcome)
}
