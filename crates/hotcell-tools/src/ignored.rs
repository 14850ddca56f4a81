//! What `.gitignore` and `.ignore` files leave out.

use hotcell_ignore::Rules;
use hotcell_vfs::{OpenOptions, Vfs, VfsPath};

use crate::error::FileToolError;
use crate::shown::shown;
use crate::tools::FileTools;
use crate::walk::below_from;

/// In the order in which they win over each other: later ones win.
const NAMES: [&[u8]; 2] = [b".gitignore", b".ignore"];
/// The longest such file that is obeyed: every path is held against every rule.
const FILE_MAX: u64 = 256 * 1024;
/// How many bytes of rules are obeyed at once, in a directory and all above it.
const RULES_MAX: usize = 1024 * 1024;
/// How many of the files that are not obeyed are named.
const NAMED: usize = 3;

/// The rules of a directory and those above it.
#[derive(Default)]
pub(crate) struct Ignored {
    /// One for each file of rules; the deepest directory's last.
    files: Vec<File>,
    /// What could not be obeyed.
    notices: Vec<String>,
    /// How many more could not be.
    unnamed: usize,
}

/// The rules of one file.
struct File {
    depth: usize,
    bytes: usize,
    /// What is charged for them.
    room: usize,
    /// Where paths below its directory begin.
    below: usize,
    rules: Rules,
}

impl Ignored {
    pub(crate) const fn is_rule_file(name: &[u8]) -> bool {
        matches!(name, b".gitignore" | b".ignore")
    }

    /// Adds the rules of the directory `dir`, which is `depth` deep.
    pub(crate) fn enter(&mut self, tools: &FileTools, vfs: &dyn Vfs, dir: &[u8], depth: usize) {
        for name in NAMES {
            let path = VfsPath::new(dir).join(name);
            let text = match read_rules(tools, vfs, &path) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(reason) => {
                    self.notice(path.as_bytes(), reason);
                    continue;
                }
            };
            let held = self.files.iter().map(|file| file.bytes).sum::<usize>();
            if held + text.len() > RULES_MAX {
                self.notice(path.as_bytes(), "comes after 1MB of others");
            } else {
                let below = below_from(VfsPath::new(dir));
                self.obey(tools, path.as_bytes(), &text, depth, below);
            }
            tools.give_back(room_to_read(text.len()));
        }
    }

    fn obey(&mut self, tools: &FileTools, path: &[u8], text: &str, depth: usize, below: usize) {
        let mut room = 0;
        let rules = Rules::parse(text, |bytes| {
            let taken = !tools.is_cancelled() && tools.take(bytes).is_ok();
            room += if taken { bytes } else { 0 };
            taken
        });
        if rules.is_short_of_room() {
            drop(rules);
            tools.give_back(room);
            self.notice(path, NO_ROOM);
            return;
        }
        if rules.unread() > 0 {
            let reason = format!(
                "has {} rules that are too long or stand for too many",
                rules.unread()
            );
            self.notice(path, &reason);
        }
        if rules.is_empty() {
            tools.give_back(room);
            return;
        }
        self.files.push(File {
            depth,
            bytes: text.len(),
            room,
            below,
            rules,
        });
    }

    /// Forgets the rules of directories that are `depth` deep or deeper.
    pub(crate) fn leave(&mut self, tools: &FileTools, depth: usize) {
        while let Some(file) = self.files.pop_if(|file| file.depth >= depth) {
            tools.give_back(file.room);
        }
    }

    /// Whether a path is left out. The directories above it are not.
    pub(crate) fn is_ignored(
        &self,
        tools: &FileTools,
        path: &[u8],
        is_dir: bool,
    ) -> Result<bool, FileToolError> {
        for file in self.files.iter().rev() {
            let below = path.get(file.below..).unwrap_or_default();
            let verdict = file
                .rules
                .verdict(below, is_dir, |_| !tools.is_cancelled())
                .map_err(|_| FileToolError::Cancelled)?;
            if let Some(verdict) = verdict {
                return Ok(verdict);
            }
        }
        Ok(false)
    }

    /// What the reader has to know about rules that were not obeyed.
    pub(crate) fn into_notices(self) -> Vec<String> {
        let mut notices = self.notices;
        if self.unnamed > 0 {
            notices.push(format!("{} more ignore files: not obeyed", self.unnamed));
        }
        notices
    }

    fn notice(&mut self, path: &[u8], reason: &str) {
        if self.notices.len() == NAMED {
            self.unnamed += 1;
            return;
        }
        self.notices
            .push(format!("{} {reason}: not obeyed", shown(path)));
    }
}

const NO_ROOM: &str = "takes more memory than there is";

/// What a file takes while it is read: its bytes, and its text, in which a byte may become three.
const fn room_to_read(bytes: usize) -> usize {
    4 * bytes
}

/// The text of a file of rules. Room for it is taken, and to be given back when it is gone.
fn read_rules(
    tools: &FileTools,
    vfs: &dyn Vfs,
    path: &VfsPath,
) -> Result<Option<String>, &'static str> {
    // A link could lead out of the workspace.
    let Ok(file) = vfs.open(path, &OpenOptions::read().no_follow()) else {
        return Ok(None);
    };
    let Ok(meta) = file.stat() else {
        return Ok(None);
    };
    if !meta.is_file() {
        return Ok(None);
    }
    if meta.size > FILE_MAX {
        return Err("is longer than 256KB");
    }
    let most = usize::try_from(meta.size).unwrap_or(usize::MAX);
    tools.take(room_to_read(most)).map_err(|_| NO_ROOM)?;
    let text = file
        .read_all()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // It may have grown or shrunk meanwhile: what is given back is the text's.
    tools.give_back(room_to_read(most));
    let text = text.map_err(|_| "could not be read")?;
    tools.take(room_to_read(text.len())).map_err(|_| NO_ROOM)?;
    Ok(Some(text))
}
