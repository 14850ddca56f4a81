//! `cp`.

use std::{collections::HashMap, io};

use bstr::ByteSlice;
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::VfsPath;

use super::{
    copy::{Copy, Existing, Follow},
    targets::{Backup, Targets},
};
use crate::{Opt, Parsed, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cp",
    synopsis: "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...",
    summary: "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
    options: &[
        Opt::flag('a', "archive", "same as -dR --preserve=all"),
        Opt::flag(
            '\0',
            "attributes-only",
            "don't copy the file data, just the attributes",
        ),
        Opt::optional(
            '\0',
            "backup",
            "CONTROL",
            "make a backup of each existing destination file",
        ),
        Opt::flag('b', "", "like --backup but does not accept an argument"),
        Opt::flag('d', "", "same as --no-dereference --preserve=links"),
        Opt::flag(
            'f',
            "force",
            "if an existing destination file cannot be\nopened, remove it and try again",
        ),
        Opt::flag(
            'i',
            "interactive",
            "prompt before overwrite (overrides a previous -n option)",
        ),
        Opt::flag('H', "", "follow command-line symbolic links in SOURCE"),
        Opt::flag('l', "link", "hard link files instead of copying"),
        Opt::flag('L', "dereference", "always follow symbolic links in SOURCE"),
        Opt::flag('n', "no-clobber", "do not overwrite an existing file"),
        Opt::flag(
            'P',
            "no-dereference",
            "never follow symbolic links in SOURCE",
        ),
        Opt::flag('p', "", "same as --preserve=mode,ownership,timestamps"),
        Opt::optional(
            '\0',
            "preserve",
            "ATTR_LIST",
            "preserve the specified attributes: mode, ownership,\ntimestamps, links, context, xattr, all",
        ),
        Opt::value(
            '\0',
            "no-preserve",
            "ATTR_LIST",
            "don't preserve the specified attributes",
        ),
        Opt::flag('\0', "parents", "use full source file name under DIRECTORY"),
        Opt::flag('r', "recursive", "copy directories recursively"),
        Opt::flag('R', "", "same as -r"),
        Opt::optional(
            '\0',
            "reflink",
            "WHEN",
            "control clone/CoW copies (they are here, always)",
        ),
        Opt::flag(
            '\0',
            "remove-destination",
            "remove each existing destination file before\nattempting to open it",
        ),
        Opt::value(
            '\0',
            "sparse",
            "WHEN",
            "control creation of sparse files: auto, always, never",
        ),
        Opt::flag(
            '\0',
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE",
        ),
        Opt::flag(
            's',
            "symbolic-link",
            "make symbolic links instead of copying",
        ),
        Opt::value('S', "suffix", "SUFFIX", "override the usual backup suffix"),
        Opt::value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        Opt::flag('T', "no-target-directory", "treat DEST as a normal file"),
        Opt::flag(
            'u',
            "update",
            "copy only when the SOURCE file is newer\nthan the destination file or when it is missing",
        ),
        Opt::flag('v', "verbose", "explain what is being done"),
        Opt::flag('x', "one-file-system", "stay on this file system"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut operands = parsed.operands.clone();
    if parsed.has("strip-trailing-slashes") {
        for operand in &mut operands {
            let trimmed = operand.trim_end_with(|c| c == '/').len().max(1);
            operand.truncate(trimmed);
        }
    }
    let targets = Targets::from_options(process, &USAGE, &parsed, operands, true);
    if parsed.has("parents") && !targets.is_directory {
        USAGE.fail(
            process,
            "with --parents, the destination must be a directory",
        );
    }
    let mut copy = copy(process, &parsed);
    for (source, target) in targets.pairs() {
        if !parsed.has("parents") {
            copy.run(source.as_bstr(), target.as_bstr());
            continue;
        }
        let folder = VfsPath::new(&target)
            .parent()
            .map(ToOwned::to_owned)
            .unwrap_or_default();
        let target = folder.join(source.trim_start_with(|c| c == '/'));
        let parent = process.resolve(target.parent().unwrap_or(VfsPath::ROOT));
        if let Err(error) = process
            .vfs()
            .mkdir_all(&parent, 0o777 & !process.umask())
            .map_err(file_error)
        {
            process.complain(
                [
                    b"cannot make directory ",
                    quote(parent.as_bytes()).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
            copy.has_failed = true;
            continue;
        }
        copy.run(source.as_bstr(), target.as_bytes().as_bstr());
    }
    Ok(i32::from(copy.has_failed))
}

fn copy<'p>(process: &'p Process, parsed: &Parsed) -> Copy<'p> {
    let archive = parsed.has("archive");
    let recursive = archive || parsed.has("recursive") || parsed.has("R");
    let follow = match parsed.last_of(&["archive", "d", "H", "dereference", "no-dereference"]) {
        Some("dereference") => Follow::Always,
        Some("H") => Follow::Named,
        Some(_) => Follow::Never,
        None if recursive || parsed.has("link") => Follow::Never,
        None => Follow::Always,
    };
    let (mut mode, mut times, mut links) = (archive, archive, archive || parsed.has("d"));
    for (name, value) in parsed.iter() {
        let list = match (name, value) {
            ("p", _) | ("preserve", None) => "mode,timestamps".into(),
            ("preserve" | "no-preserve", Some(list)) => list.to_string(),
            _ => continue,
        };
        let keeps = name != "no-preserve";
        for attribute in list.split(',') {
            match attribute {
                "mode" => mode = keeps,
                "timestamps" => times = keeps,
                "links" => links = keeps,
                // There is one user, and no attributes beside these.
                "ownership" | "context" | "xattr" => {}
                "all" => (mode, times, links) = (keeps, keeps, keeps),
                other => USAGE.fail(
                    process,
                    [
                        b"invalid argument ",
                        quote(other.as_bytes()).as_slice(),
                        b" for '--preserve'",
                    ]
                    .concat(),
                ),
            }
        }
    }
    let existing = match parsed.last_of(&["interactive", "no-clobber"]) {
        Some("interactive") => Existing::Ask,
        Some(_) => Existing::Keep,
        None if parsed.has("update") => Existing::Update,
        None => Existing::Replace,
    };
    Copy {
        process,
        recursive,
        follow,
        existing,
        force: parsed.has("force"),
        keeps_mode: mode,
        keeps_times: times,
        hard_links: parsed.has("link"),
        symbolic_links: parsed.has("symbolic-link"),
        attributes_only: parsed.has("attributes-only"),
        verbose: parsed.has("verbose"),
        one_file_system: parsed.has("one-file-system"),
        remove_destination: parsed.has("remove-destination"),
        backup: Backup::from_options(process, &USAGE, parsed),
        copied: links.then(HashMap::new),
        has_failed: false,
    }
}
