//! The operations of `fs` and `process`, done by the process.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "JavaScript's numbers are what they are, and casts of them saturate"
)]

use std::io::{self, Read};

use hotcell_cell::{ToolCall, ToolError, Value};
use hotcell_executor::call_file_tool;
use hotcell_meter::Watch as _;
use hotcell_process::{Fd, Process, errno, error_text, file_error};
use hotcell_tools::FileTools;
use hotcell_vfs::{Errno, FileType, Metadata, OpenOptions, SetTime, Times, Timestamp, VfsPath};

use crate::{
    bytes::{array_of, bytes_of, text_of},
    requests::Answer,
};

/// Does what `(operation, …)` asks for.
pub(crate) fn operate(process: &Process, call: &ToolCall) -> Answer {
    let operation = call.argument(0).as_str().unwrap_or_default();
    let arguments = call.arguments.get(1..).unwrap_or_default();
    if operation == "tool" {
        return file_tool(process, arguments);
    }
    let given = Given { process, arguments };
    given.operate(operation).map_err(|error| {
        let path = given.text(0).unwrap_or_default();
        node_error(operation, &path, &error)
    })
}

/// A file tool on the working directory.
fn file_tool(process: &Process, arguments: &[Value]) -> Answer {
    let name = arguments
        .first()
        .and_then(Value::as_str)
        .unwrap_or_default();
    let stop = process.stop_token().clone();
    let tools = FileTools::new(process.vfs().clone(), &*process.cwd())
        .with_cancel(move || stop.check().is_err());
    call_file_tool(&tools, name, arguments.get(1..).unwrap_or_default())
}

/// The arguments of an operation.
struct Given<'a> {
    process: &'a Process,
    arguments: &'a [Value],
}

impl Given<'_> {
    fn operate(&self, operation: &str) -> io::Result<Value> {
        let (process, vfs) = (self.process, self.process.vfs());
        let path = || Ok::<_, io::Error>(process.resolve(self.text(0)?));
        match operation {
            "cwd" => return Ok(text_of(process.cwd().as_bytes())),
            "chdir" => {
                let path = vfs.realpath(&path()?).map_err(file_error)?;
                if !vfs.stat(&path).map_err(file_error)?.is_dir() {
                    return Err(errno(Errno::ENOTDIR));
                }
                process.set_cwd(path);
            }
            "exit" => process.exit(self.number(0) as i32),
            "read" => return self.read(),
            "readline" => return self.read_some(),
            "write" => self.write(OpenOptions::write().create().truncate())?,
            "append" => self.write(OpenOptions::append().create())?,
            "create" => self.write(OpenOptions::write().create_new())?,
            "print" => {
                let stream = process.descriptor(self.descriptor().unwrap_or(1))?;
                process.write_all(&stream, &self.bytes(1)?)?;
            }
            "stat" | "lstat" => {
                let metadata = process.metadata(self.text(0)?, operation == "stat")?;
                return Ok(described(&metadata));
            }
            "readdir" => {
                let entries = vfs.readdir(&path()?).map_err(file_error)?;
                process.spend(entries.len());
                let described = entries.iter().map(|entry| {
                    Value::array([text_of(entry.name.as_ref()), Value::from(kind(entry.kind))])
                });
                return Ok(Value::array(described));
            }
            "mkdir" => {
                let mode = self.mode(2, 0o777) & !process.umask();
                let done = if self.flag(1) {
                    vfs.mkdir_all(&path()?, mode)
                } else {
                    vfs.mkdir(&path()?, mode)
                };
                done.map_err(file_error)?;
            }
            "rmdir" => vfs.rmdir(&path()?).map_err(file_error)?,
            "unlink" => vfs.unlink(&path()?).map_err(file_error)?,
            "rename" => vfs.rename(&path()?, &self.other()?).map_err(file_error)?,
            "copy" => drop(vfs.copy(&path()?, &self.other()?).map_err(file_error)?),
            "link" => vfs.link(&path()?, &self.other()?).map_err(file_error)?,
            "symlink" => {
                let target = self.text(0)?;
                let symlink = vfs.symlink(VfsPath::new(&target), &self.other()?);
                symlink.map_err(file_error)?;
            }
            "readlink" => {
                let target = vfs.readlink(&path()?).map_err(file_error)?;
                return Ok(text_of(target.as_bytes()));
            }
            "realpath" => {
                let real = vfs.realpath(&path()?).map_err(file_error)?;
                return Ok(text_of(real.as_bytes()));
            }
            "chmod" => vfs
                .chmod(&path()?, self.mode(1, 0o644))
                .map_err(file_error)?,
            "truncate" => {
                let size = self.number(1).max(0.0) as u64;
                vfs.truncate(&path()?, size).map_err(file_error)?;
            }
            "utimes" => {
                let set =
                    |index| SetTime::At(Timestamp::from_nanos((self.number(index) * 1e9) as i64));
                let times = Times {
                    accessed: set(1),
                    modified: set(2),
                };
                vfs.set_times(&path()?, times, true).map_err(file_error)?;
            }
            _ => return Err(errno(Errno::ENOSYS)),
        }
        Ok(Value::Undefined)
    }

    /// `(path or descriptor, whether text)`
    fn read(&self) -> io::Result<Value> {
        let mut input = match self.descriptor() {
            Some(fd) => self.process.input(self.process.descriptor(fd)?),
            None => self.process.open_input(file_name(&self.text(0)?))?,
        };
        let mut charge = self.process.charge(0)?;
        let mut bytes = Vec::new();
        let mut chunk = vec![0; 64 << 10];
        loop {
            let read = input.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            charge.grow(read).map_err(hotcell_process::limit_error)?;
            bytes.extend_from_slice(chunk.get(..read).unwrap_or_default());
        }
        Ok(self.data(bytes))
    }

    /// What there is of a stream, or waits for some: `(descriptor, whether text)`. `null` at its end.
    fn read_some(&self) -> io::Result<Value> {
        let stream = self.process.descriptor(self.descriptor().unwrap_or(0))?;
        let mut chunk = vec![0; 64 << 10];
        let read = self.process.read(&stream, &mut chunk)?;
        chunk.truncate(read);
        Ok(if read == 0 {
            Value::Null
        } else {
            self.data(chunk)
        })
    }

    fn data(&self, bytes: Vec<u8>) -> Value {
        if self.flag(1) {
            text_of(&bytes)
        } else {
            array_of(bytes)
        }
    }

    /// `(path or descriptor, data, mode)`
    fn write(&self, options: OpenOptions) -> io::Result<()> {
        let bytes = self.bytes(1)?;
        let stream = if let Some(fd) = self.descriptor() {
            self.process.descriptor(fd)?
        } else {
            let options = options.mode(self.mode(2, 0o666));
            self.process.open(self.text(0)?, &options)?
        };
        self.process.write_all(&stream, &bytes)
    }

    fn argument(&self, index: usize) -> &Value {
        self.arguments.get(index).unwrap_or(&Value::Undefined)
    }

    fn text(&self, index: usize) -> io::Result<String> {
        match self.argument(index) {
            Value::String(text) => Ok(text.to_str_lossy().into_owned()),
            _ => Err(errno(Errno::EINVAL)),
        }
    }

    fn other(&self) -> io::Result<hotcell_vfs::VfsPathBuf> {
        Ok(self.process.resolve(self.text(1)?))
    }

    fn bytes(&self, index: usize) -> io::Result<Vec<u8>> {
        bytes_of(self.argument(index)).ok_or_else(|| errno(Errno::EINVAL))
    }

    fn flag(&self, index: usize) -> bool {
        self.argument(index).as_bool().unwrap_or(false)
    }

    fn number(&self, index: usize) -> f64 {
        self.argument(index).as_f64().unwrap_or(0.0)
    }

    fn mode(&self, index: usize, default: u32) -> u32 {
        let given = self.argument(index).as_f64();
        given.map_or(default, |mode| mode as u32 & 0o7777)
    }

    /// The descriptor, if the first argument is one.
    fn descriptor(&self) -> Option<Fd> {
        let number = self.argument(0).as_f64()?;
        (0.0..=1e6).contains(&number).then_some(number as Fd)
    }
}

/// A file that is called like standard input is to most programs is a file here.
fn file_name(name: &str) -> &str {
    if name == "-" { "./-" } else { name }
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        FileType::File => "file",
        FileType::Dir => "directory",
        FileType::Symlink => "link",
        _ => "other",
    }
}

fn described(metadata: &Metadata) -> Value {
    let time = |time: Timestamp| Value::from(time.as_nanos() as f64 / 1e6);
    Value::object([
        ("kind", Value::from(kind(metadata.kind))),
        ("dev", Value::from(metadata.dev as f64)),
        ("ino", Value::from(metadata.ino as f64)),
        ("nlink", Value::from(metadata.nlink as f64)),
        ("mode", Value::from(f64::from(metadata.mode))),
        ("size", Value::from(metadata.size as f64)),
        ("atimeMs", time(metadata.accessed)),
        ("mtimeMs", time(metadata.modified)),
        ("ctimeMs", time(metadata.changed)),
    ])
}

/// An error as Node words it: `ENOENT: no such file or directory, open 'x'`.
fn node_error(operation: &str, path: &str, error: &io::Error) -> ToolError {
    let syscall = match operation {
        "read" | "write" | "append" | "create" => "open",
        "readdir" => "scandir",
        "copy" => "copyfile",
        other => other,
    };
    let code = error
        .raw_os_error()
        .map(|code| Errno::from_code(code).name());
    let words = error_text(error);
    let mut message = words.clone();
    if let Some(code) = code {
        let mut letters = words.chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string());
        message = format!("{code}: {}{}", first.unwrap_or_default(), letters.as_str());
    }
    message = format!("{message}, {syscall}");
    if !path.is_empty() {
        message = format!("{message} '{path}'");
    }
    let error = ToolError::new("Error", message).with("syscall", syscall);
    let error = if path.is_empty() {
        error
    } else {
        error.with("path", path)
    };
    match code {
        Some(code) => error.with("code", code),
        None => error,
    }
}
