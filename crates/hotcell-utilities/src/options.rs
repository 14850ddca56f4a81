//! Options as GNU tools have them.

use std::{fmt::Write as _, io::Write as _};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use hotcell_process::Process;

/// What a utility is called and which options it has. Its `--help` is made of this.
#[derive(Debug)]
pub struct Usage {
    /// The name that finds it.
    pub name: &'static str,
    /// What stands behind the name in its synopsis, a line for each form: `[OPTION]... [FILE]...`.
    pub synopsis: &'static str,
    /// What it does, in a sentence or some more.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [Opt],
    /// What else its reader should know.
    pub notes: &'static str,
    /// The exit code for a wrong option.
    pub error_code: i32,
    /// Options end at the first operand: for utilities that run others.
    pub stops_at_operand: bool,
    /// Whoever gives wrong arguments is also shown the synopsis.
    pub shows_synopsis: bool,
    /// Letters for `--help` (`h`, `H`) and `--version` (`v`, `V`), where they have some.
    pub letters: &'static [u8],
    /// Where whoever gives wrong arguments is sent; `NAME` stands for the utility's name.
    pub hint: &'static str,
}

impl Usage {
    /// A usage to take the rest from: no options, exit code 1.
    pub const DEFAULT: Self = Self {
        name: "",
        synopsis: "",
        summary: "",
        options: &[],
        notes: "",
        error_code: 1,
        stops_at_operand: false,
        shows_synopsis: false,
        letters: b"",
        hint: "Try 'NAME --help' for more information.",
    };
}

/// An option.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// Its letter.
    pub short: Option<u8>,
    /// Its long name, without dashes.
    pub long: Option<&'static str>,
    /// Whether it has a value.
    pub value: OptValue,
    /// What it does.
    pub help: &'static str,
}

/// Whether an option has a value, and what help calls it.
#[derive(Debug, Clone, Copy)]
pub enum OptValue {
    /// None.
    None,
    /// Always.
    Required(&'static str),
    /// Only if it is attached: `-iX`, `--in-place=X`.
    Optional(&'static str),
    /// Only if it is attached to the long name: `--check=quiet`, but `-cr` is two options.
    OptionalLong(&'static str),
}

impl Opt {
    /// An option without a value. An empty long name is none, as is the letter `'\0'`.
    pub const fn flag(short: char, long: &'static str, help: &'static str) -> Self {
        Self::new(short, long, OptValue::None, help)
    }

    /// An option that needs a value.
    pub const fn value(
        short: char,
        long: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(short, long, OptValue::Required(value), help)
    }

    /// An option that may have a value.
    pub const fn optional(
        short: char,
        long: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(short, long, OptValue::Optional(value), help)
    }

    /// An option whose long name may have a value, and whose letter has none.
    pub const fn optional_long(
        short: char,
        long: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(short, long, OptValue::OptionalLong(value), help)
    }

    const fn new(short: char, long: &'static str, value: OptValue, help: &'static str) -> Self {
        assert!(short.is_ascii(), "options are letters of ASCII");
        Self {
            short: if short == '\0' {
                None
            } else {
                Some(short as u8)
            },
            long: if long.is_empty() { None } else { Some(long) },
            value,
            help,
        }
    }

    /// What code calls it: its long name, or its letter if it has none.
    fn is_called(&self, name: &str) -> bool {
        match (self.long, self.short) {
            (Some(long), _) => long == name,
            (None, Some(short)) => name.as_bytes() == [short],
            (None, None) => false,
        }
    }
}

/// The arguments of a utility, taken apart.
#[derive(Debug, Default)]
pub struct Parsed {
    given: Vec<(Opt, Option<BString>)>,
    /// What is no option, in order.
    pub operands: Vec<BString>,
}

impl Parsed {
    /// Whether an option was given. Options are called by their long names, or by their letter if they have none.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(opt, _)| opt.is_called(name))
    }

    /// The value of an option, the last one if it was given several times.
    pub fn value(&self, name: &str) -> Option<&BStr> {
        self.values(name).last()
    }

    /// All values of an option.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &BStr> {
        let given = self
            .given
            .iter()
            .filter(move |(opt, _)| opt.is_called(name));
        given.filter_map(|(_, value)| value.as_ref().map(|value| value.as_bstr()))
    }

    /// Which of these options was given last.
    pub fn last_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.iter()
            .filter_map(|(given, _)| names.iter().copied().find(|name| *name == given))
            .last()
    }

    /// How often an option was given.
    pub fn count(&self, name: &str) -> usize {
        self.given
            .iter()
            .filter(|(opt, _)| opt.is_called(name))
            .count()
    }

    /// All options in their order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&BStr>)> {
        self.given.iter().map(|(opt, value)| {
            let name = opt
                .long
                .or_else(|| std::str::from_utf8(opt.short.as_slice()).ok());
            (
                name.unwrap_or_default(),
                value.as_ref().map(|value| value.as_bstr()),
            )
        })
    }
}

impl Usage {
    /// Takes the arguments of a process apart. One who asks for help, or gives a wrong option, gets the answer, and the
    /// process ends here.
    pub fn parse(&self, process: &Process) -> Parsed {
        self.parse_args(process, process.args().get(1..).unwrap_or_default())
    }

    /// As [`Usage::parse`], with other arguments: for utilities that have options of an older style, too.
    pub fn parse_args(&self, process: &Process, args: &[BString]) -> Parsed {
        match self.take_apart(args) {
            Ok(parsed) => {
                if parsed.has("help") {
                    let _ = process.stdout().write_all(self.help().as_bytes());
                    process.exit(0);
                }
                if parsed.has("version") {
                    let _ = writeln!(
                        process.stdout(),
                        "{} (hotcell) {}",
                        self.name,
                        env!("CARGO_PKG_VERSION")
                    );
                    process.exit(0);
                }
                parsed
            }
            Err(message) => self.fail(process, &message),
        }
    }

    /// Says that the arguments are wrong, where to read what would be right, and ends the process.
    pub fn fail(&self, process: &Process, message: impl AsRef<[u8]>) -> ! {
        process.complain(message);
        let name = process.name();
        if self.shows_synopsis {
            let form = self.synopsis.lines().next().unwrap_or_default();
            let _ = writeln!(process.stderr(), "Usage: {name} {form}");
        }
        let _ = writeln!(
            process.stderr(),
            "{}",
            self.hint.replace("NAME", &name.to_string())
        );
        process.exit(self.error_code)
    }

    fn take_apart(&self, args: &[BString]) -> Result<Parsed, BString> {
        let mut parsed = Parsed::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_slice() {
                b"--" => {
                    parsed.operands.extend(args.by_ref().cloned());
                }
                [b'-', b'-', long @ ..] => self.take_long(long, &mut args, &mut parsed)?,
                [b'-', short @ ..] if !short.is_empty() => {
                    self.take_short(short, &mut args, &mut parsed)?;
                }
                _ => {
                    parsed.operands.push(arg.clone());
                    if self.stops_at_operand {
                        parsed.operands.extend(args.by_ref().cloned());
                    }
                }
            }
        }
        Ok(parsed)
    }

    fn take_long<'a>(
        &self,
        arg: &[u8],
        args: &mut impl Iterator<Item = &'a BString>,
        parsed: &mut Parsed,
    ) -> Result<(), BString> {
        let (name, attached) = match arg.split_once_str("=") {
            Some((name, value)) => (name, Some(BString::from(value))),
            None => (arg, None),
        };
        let opt = self.find_long(name)?;
        let long = opt.long.unwrap_or_default();
        let value = match opt.value {
            OptValue::None if attached.is_some() => {
                return Err(format!("option '--{long}' doesn't allow an argument").into());
            }
            OptValue::Required(_) if attached.is_none() => {
                let next = args.next().cloned();
                Some(next.ok_or_else(|| format!("option '--{long}' requires an argument"))?)
            }
            _ => attached,
        };
        parsed.given.push((opt, value));
        Ok(())
    }

    /// A long option by its name, or by a beginning that no other has.
    fn find_long(&self, name: &[u8]) -> Result<Opt, BString> {
        let all = || self.options.iter().chain(&STANDARD);
        let long = |opt: &&Opt| opt.long.unwrap_or_default().as_bytes();
        if let Some(opt) = all().find(|opt| opt.long.is_some() && long(opt) == name) {
            return Ok(*opt);
        }
        let near: Vec<&Opt> = all()
            .filter(|opt| opt.long.is_some() && long(opt).starts_with(name))
            .collect();
        let is_one = near
            .iter()
            .all(|opt| Some(opt.long) == near.first().map(|first| first.long));
        match near.as_slice() {
            [opt, ..] if is_one => Ok(**opt),
            [] => {
                let mut message = BString::from("unrecognized option '--");
                message.push_str(name);
                message.push_byte(b'\'');
                Err(message)
            }
            several => {
                let mut message = BString::from("option '--");
                message.push_str(name);
                message.push_str("' is ambiguous; possibilities:");
                for opt in several {
                    let _ = write!(message, " '--{}'", opt.long.unwrap_or_default());
                }
                Err(message)
            }
        }
    }

    fn standard_for(&self, letter: u8) -> Option<&'static Opt> {
        let name = match letter {
            b'h' | b'H' => "help",
            _ => "version",
        };
        let mut all = STANDARD.iter();
        all.find(|opt| self.letters.contains(&letter) && opt.long == Some(name))
    }

    fn take_short<'a>(
        &self,
        letters: &[u8],
        args: &mut impl Iterator<Item = &'a BString>,
        parsed: &mut Parsed,
    ) -> Result<(), BString> {
        let mut rest = letters;
        while let Some((letter, after)) = rest.split_first() {
            rest = after;
            let found = self.options.iter().find(|opt| opt.short == Some(*letter));
            let Some(opt) = found.or_else(|| self.standard_for(*letter)) else {
                let mut message = BString::from("invalid option -- '");
                message.push_byte(*letter);
                message.push_byte(b'\'');
                return Err(message);
            };
            let value = match opt.value {
                OptValue::None | OptValue::OptionalLong(_) => None,
                OptValue::Optional(_) => {
                    let value = (!rest.is_empty()).then(|| BString::from(rest));
                    rest = b"";
                    value
                }
                OptValue::Required(_) if !rest.is_empty() => {
                    Some(BString::from(std::mem::take(&mut rest)))
                }
                OptValue::Required(_) => {
                    let next = args.next().cloned();
                    let missing =
                        || format!("option requires an argument -- '{}'", char::from(*letter));
                    Some(next.ok_or_else(missing)?)
                }
            };
            parsed.given.push((*opt, value));
        }
        Ok(())
    }

    /// What `--help` prints.
    pub fn help(&self) -> String {
        let mut help = String::new();
        for (number, form) in self.synopsis.lines().enumerate() {
            let start = if number == 0 { "Usage:" } else { "  or: " };
            let _ = writeln!(help, "{start} {} {form}", self.name);
        }
        let _ = writeln!(help, "{}\n", self.summary);
        for opt in self.options.iter().chain(&STANDARD) {
            let _ = writeln!(help, "{}", opt.help_line());
        }
        if !self.notes.is_empty() {
            let _ = writeln!(help, "\n{}", self.notes);
        }
        help
    }
}

impl Opt {
    fn help_line(&self) -> String {
        let (value, brackets) = match self.value {
            OptValue::None => ("", false),
            OptValue::Required(value) => (value, false),
            OptValue::Optional(value) | OptValue::OptionalLong(value) => (value, true),
        };
        let mut line = match self.short {
            Some(short) => format!("  -{}", char::from(short)),
            None => "    ".to_owned(),
        };
        if let Some(long) = self.long {
            line.push_str(if self.short.is_some() { ", --" } else { "  --" });
            line.push_str(long);
            line.push_str(match (value.is_empty(), brackets) {
                (true, _) => "",
                (false, true) => "[=",
                (false, false) => "=",
            });
        } else if !value.is_empty() {
            line.push_str(if brackets { "[" } else { " " });
        }
        line.push_str(value);
        if brackets {
            line.push(']');
        }
        let help = self.help.replace('\n', "\n                               ");
        format!("{line:<30} {help}")
    }
}

/// What every utility has.
const STANDARD: [Opt; 2] = [
    Opt::flag('\0', "help", "display this help and exit"),
    Opt::flag('\0', "version", "output version information and exit"),
];
