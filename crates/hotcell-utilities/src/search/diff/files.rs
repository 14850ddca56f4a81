//! Which files are compared, and what is said of them.

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_meter::{Charge, Pace};
use hotcell_process::{Output, Process, error_text, file_error, limit_error};
use hotcell_vfs::{FileType, Metadata, OpenOptions};

use super::{
    compare::{Text, number},
    edits::{Edit, edits},
    kinds::{kind, links, look, unlike},
    options::{Options, Style},
    print::{Header, Printer},
};
use crate::{quote, time};

/// Compares what was named: files, directories, or one of each. Returns the exit code.
pub(super) fn named<'p>(
    process: &'p Process,
    options: &Options,
    one: &BStr,
    other: &BStr,
    out: &mut Output<'p>,
) -> io::Result<i32> {
    let is_dir = |name: &BStr| {
        name != "-" && kind(process, options, name).is_some_and(|kind| kind == FileType::Dir)
    };
    let inside = |folder: &BStr, file: &BStr| -> BString {
        let name = file.rsplit_str("/").next().unwrap_or(file);
        [folder.trim_end_with(|c| c == '/'), b"/", name]
            .concat()
            .into()
    };
    let sides = (is_dir(one), is_dir(other));
    if sides.0 != sides.1 && !options.new_files {
        // Nothing in the directory is looked for that has the name of nothing.
        let lone = if sides.0 { other } else { one };
        if lone != "-"
            && let Err(error) = look(process, options, lone)
        {
            process.complain([lone.as_bytes(), b": ", error_text(&error).as_bytes()].concat());
            return Ok(2);
        }
    }
    match sides {
        (true, true) => folders(process, options, one, other, out),
        (true, false) if other == "-" => {
            process.complain("cannot compare '-' to a directory");
            Ok(2)
        }
        (false, true) if one == "-" => {
            process.complain("cannot compare '-' to a directory");
            Ok(2)
        }
        (true, false) => files(
            process,
            options,
            inside(one, other).as_bstr(),
            other,
            out,
            false,
        ),
        (false, true) => files(
            process,
            options,
            one,
            inside(other, one).as_bstr(),
            out,
            false,
        ),
        (false, false) => files(process, options, one, other, out, false),
    }
}

/// How deep directories may nest: each level is a call.
const MOST_LEVELS: usize = 64 << 10;

fn folders<'p>(
    process: &'p Process,
    options: &Options,
    one: &BStr,
    other: &BStr,
    out: &mut Output<'p>,
) -> io::Result<i32> {
    let mut code = 0;
    let mut pending = vec![(BString::from(one), BString::from(other), true)];
    while let Some((one, other, is_folder)) = pending.pop() {
        process.spend(64);
        if !is_folder {
            code = code.max(files(
                process,
                options,
                one.as_bstr(),
                other.as_bstr(),
                out,
                true,
            )?);
            continue;
        }
        if pending.len() > MOST_LEVELS << 4 {
            return Err(io::Error::other("too many files"));
        }
        match entries(process, options, [one.as_bstr(), other.as_bstr()]) {
            Err((name, error)) => {
                process.complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                code = 2;
            }
            Ok(names) => {
                let mut steps = Vec::new();
                for (name, kinds) in names {
                    pair(
                        process,
                        options,
                        [one.as_bstr(), other.as_bstr()],
                        &name,
                        kinds,
                        &mut code,
                        &mut steps,
                    )?;
                }
                pending.extend(steps.into_iter().rev());
            }
        }
        // What was found first is said first: everything pending is below what was just listed.
        while let Some((one, other, false)) = pending.last().cloned() {
            pending.pop();
            if one.is_empty() {
                out.write_all(&other)?;
                continue;
            }
            code = code.max(files(
                process,
                options,
                one.as_bstr(),
                other.as_bstr(),
                out,
                true,
            )?);
        }
    }
    Ok(code)
}

type Kinds = [Option<FileType>; 2];

/// The names in two directories, with what is behind each in either.
fn entries(
    process: &Process,
    options: &Options,
    folders: [&BStr; 2],
) -> Result<Vec<(BString, Kinds)>, (BString, io::Error)> {
    let mut all: std::collections::BTreeMap<BString, Kinds> = std::collections::BTreeMap::new();
    for (side, folder) in folders.into_iter().enumerate() {
        let path = process.resolve(folder);
        if process.vfs().stat(&path).is_err() && options.new_files {
            continue;
        }
        let found = process
            .vfs()
            .readdir(&path)
            .map_err(|error| (BString::from(folder), file_error(error)))?;
        for entry in found {
            process.spend(32);
            if options.excludes(&entry.name) {
                continue;
            }
            if options
                .starting
                .as_ref()
                .is_some_and(|start| entry.name.as_slice() < start.as_slice())
            {
                continue;
            }
            let mut kind = entry.kind;
            if kind == FileType::Symlink && options.follows {
                kind = process
                    .vfs()
                    .stat(&path.join(&entry.name))
                    .map_or(kind, |meta| meta.kind);
            }
            if let Some(place) = all.entry(entry.name.into()).or_default().get_mut(side) {
                *place = Some(kind);
            }
        }
    }
    Ok(all.into_iter().collect())
}

/// What is to be done for one name that is in either directory.
fn pair(
    process: &Process,
    options: &Options,
    folders: [&BStr; 2],
    name: &BString,
    kinds: Kinds,
    code: &mut i32,
    steps: &mut Vec<(BString, BString, bool)>,
) -> io::Result<()> {
    let path = |folder: &BStr| -> BString {
        [folder.trim_end_with(|c| c == '/'), b"/", name.as_slice()]
            .concat()
            .into()
    };
    let (one, other) = (path(folders[0]), path(folders[1]));
    // Words that come in their place among the comparisons.
    let mut say = |text: Vec<u8>| steps.push((BString::default(), text.into(), false));
    match kinds {
        [Some(left), Some(right)] => {
            // Where links are followed, one that is still there leads nowhere: opening it says so.
            let is_dangling = [left, right].contains(&FileType::Symlink);
            let are_folders = [left, right].map(|kind| kind == FileType::Dir);
            if are_folders == [true, true] {
                if options.recursive {
                    steps.push((one, other, true));
                } else {
                    say([
                        b"Common subdirectories: ",
                        one.as_slice(),
                        b" and ",
                        &other,
                        b"\n",
                    ]
                    .concat());
                }
            } else if left != right && !(options.follows && is_dangling) {
                *code = (*code).max(1);
                say(unlike(process, one.as_bstr(), other.as_bstr()));
            } else {
                steps.push((one, other, false));
            }
        }
        [left, right] => {
            let is_folder = left.or(right) == Some(FileType::Dir);
            // There is no such thing as an empty link to compare one with.
            let is_link = left.or(right) == Some(FileType::Symlink) && !options.follows;
            let is_shown = options.new_files || options.new_first_files && left.is_none();
            let is_shown = is_shown && !is_link;
            if is_shown && (!is_folder || options.recursive) {
                steps.push((one, other, is_folder));
                return Ok(());
            }
            *code = (*code).max(1);
            let folder = if left.is_some() {
                folders[0]
            } else {
                folders[1]
            };
            say([
                b"Only in ",
                folder.trim_end_with(|c| c == '/'),
                b": ",
                name.as_slice(),
                b"\n",
            ]
            .concat());
        }
    }
    Ok(())
}

/// A file that was read.
struct Content {
    bytes: Vec<u8>,
    meta: Option<Metadata>,
    _charge: Charge,
}

fn read(
    process: &Process,
    options: &Options,
    name: &BStr,
    is_first: bool,
    may_lack: bool,
) -> io::Result<Content> {
    let opened = if name == "-" {
        process.descriptor(0)
    } else {
        process.open(name, &OpenOptions::read())
    };
    let stream = match opened {
        Ok(stream) => stream,
        Err(error)
            if error.kind() == io::ErrorKind::NotFound
                && (options.new_files || options.new_first_files && is_first)
                && may_lack =>
        {
            return Ok(Content {
                bytes: Vec::new(),
                meta: None,
                _charge: process.charge(0)?,
            });
        }
        Err(error) => return Err(error),
    };
    let meta = stream.metadata().ok();
    if meta.is_some_and(|meta| meta.is_dir()) {
        return Err(io::Error::from_raw_os_error(21));
    }
    let mut input = process.input(stream);
    let mut bytes = Vec::new();
    let mut charge = process.charge(0)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = input.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        charge.grow(count).map_err(limit_error)?;
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
    Ok(Content {
        bytes,
        meta,
        _charge: charge,
    })
}

fn files<'p>(
    process: &'p Process,
    options: &Options,
    one: &BStr,
    other: &BStr,
    out: &mut Output<'p>,
    is_recursive: bool,
) -> io::Result<i32> {
    let same = |out: &mut Output<'_>| -> io::Result<i32> {
        if options.reports_same {
            out.write_all(
                &[
                    b"Files ",
                    one.as_bytes(),
                    b" and ",
                    other,
                    b" are identical\n",
                ]
                .concat(),
            )?;
        }
        Ok(0)
    };
    match links(process, options, [one, other], out)? {
        Some(0) => return same(out),
        Some(code) => return Ok(code),
        None => {}
    }
    let mut contents = Vec::new();
    let mut code = 0;
    for (side, name) in [one, other].into_iter().enumerate() {
        match read(process, options, name, side == 0, true) {
            Ok(content) => contents.push(content),
            Err(error) => {
                out.flush()?;
                process.complain([name.as_bytes(), b": ", error_text(&error).as_bytes()].concat());
                code = 2;
            }
        }
    }
    let [left, right] = match <[Content; 2]>::try_from(contents) {
        Ok(contents) => contents,
        Err(_) => return Ok(code),
    };
    if left.bytes == right.bytes {
        let shows_same = options.style == Style::SideBySide || options.formats.is_some();
        if shows_same && !options.brief {
            let texts = [
                Text::new(process, &left.bytes)?,
                Text::new(process, &right.bytes)?,
            ];
            Printer {
                process,
                options,
                texts: texts.each_ref(),
                out,
            }
            .edits(
                &[],
                &headers(options, [one, other], [&left, &right], process),
            )?;
        }
        return same(out);
    }
    let is_binary = |content: &Content| {
        content
            .bytes
            .get(..32 << 10)
            .unwrap_or(&content.bytes)
            .contains(&0)
    };
    if !options.text && (is_binary(&left) || is_binary(&right)) {
        let word: &[u8] = if options.brief {
            b"Files "
        } else {
            b"Binary files "
        };
        out.write_all(&[word, one.as_bytes(), b" and ", other, b" differ\n"].concat())?;
        return Ok(if options.brief { 1 } else { 2 });
    }
    let texts = [
        Text::new(process, &left.bytes)?,
        Text::new(process, &right.bytes)?,
    ];
    let ([numbers_left, numbers_right], _held) = number(process, options, texts.each_ref())?;
    let mut found = edits(process, &numbers_left, &numbers_right);
    keep_interesting(process, options, texts.each_ref(), &mut found)?;
    if found.is_empty() && options.style != Style::SideBySide && options.formats.is_none() {
        return same(out);
    }
    if options.brief {
        out.write_all(&[b"Files ", one.as_bytes(), b" and ", other, b" differ\n"].concat())?;
        return Ok(1);
    }
    if is_recursive {
        let words = options.words.iter().map(|word| quote::for_shell(word));
        let mut labels = options.labels.iter().map(|label| label.as_bstr());
        let names = [one, other].map(|name| quote::for_shell(labels.next().unwrap_or(name)));
        let line = bstr::join(" ", ["diff".into()].into_iter().chain(words).chain(names));
        out.write_all(&line)?;
        out.write_all(b"\n")?;
    }
    let headers = headers(options, [one, other], [&left, &right], process);
    let mut code = i32::from(!found.is_empty());
    Printer {
        process,
        options,
        texts: texts.each_ref(),
        out,
    }
    .edits(&found, &headers)?;
    if options.style == Style::Ed {
        // A script for ed cannot say that a line has no end.
        for (text, name) in texts.iter().zip([one, other]) {
            if text.is_cut {
                out.flush()?;
                process.complain([name.as_bytes(), b": No newline at end of file\n"].concat());
                code = 2;
            }
        }
    }
    Ok(code)
}

/// Leaves out edits that only change lines that do not matter.
fn keep_interesting(
    process: &Process,
    options: &Options,
    texts: [&Text<'_>; 2],
    found: &mut Vec<Edit>,
) -> io::Result<()> {
    if !options.ignores_blank_lines && options.ignored.is_empty() {
        return Ok(());
    }
    let mut failed = None;
    found.retain(|edit| {
        let lines = texts[0]
            .lines
            .get(edit.left.clone())
            .unwrap_or_default()
            .iter();
        let mut lines = lines.chain(texts[1].lines.get(edit.right.clone()).unwrap_or_default());
        let mut pace = Pace::new(process.stop_token());
        !lines.all(|line| {
            process.spend(8);
            let is_blank = options.ignores_blank_lines && line.trim_ascii().is_empty();
            is_blank
                || options
                    .ignored
                    .iter()
                    .any(|regex| match regex.is_match(line, &mut pace) {
                        Ok(is_match) => is_match,
                        Err(error) => {
                            failed = Some(error);
                            false
                        }
                    })
        })
    });
    failed.map_or(Ok(()), |error| Err(io::Error::other(error)))
}

fn headers(
    options: &Options,
    names: [&BStr; 2],
    contents: [&Content; 2],
    process: &Process,
) -> [Header; 2] {
    let zone = time::zone(process);
    let header = |side: usize| {
        if let Some(label) = options.labels.get(side) {
            return Header {
                name: label.to_vec(),
                stamp: None,
            };
        }
        let modified = contents[side]
            .meta
            .map_or(hotcell_vfs::Timestamp::EPOCH, |meta| meta.modified);
        let modified = if names[side] == "-" {
            process.now()
        } else {
            modified
        };
        let format = if matches!(options.style, Style::Context(_)) {
            "%a %b %e %H:%M:%S %Y"
        } else {
            "%Y-%m-%d %H:%M:%S.%N %z"
        };
        let name = if names[side].contains(&b' ') {
            [b"\"", names[side].as_bytes(), b"\""].concat()
        } else {
            names[side].to_vec()
        };
        Header {
            name,
            stamp: Some(time::show(modified, &zone, format)),
        }
    };
    [header(0), header(1)]
}
