//! The options of `set` and `shopt`.

macro_rules! settings {
    ($table:ident: $($variant:ident $name:literal $letter:literal $default:literal;)*) => {
        impl Setting {
            /// All of this kind, in the order in which bash lists them.
            pub(crate) const $table: &[Setting] = &[$(Setting::$variant),*];
        }
    };
}

macro_rules! all_settings {
    (set { $($set:ident $set_name:literal $letter:literal $set_default:literal;)* }
     shopt { $($shopt:ident $shopt_name:literal $shopt_default:literal;)* }) => {
        /// An option of the shell.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Setting { $($set,)* $($shopt,)* }

        settings!(SET: $($set $set_name $letter $set_default;)*);
        settings!(SHOPT: $($shopt $shopt_name ' ' $shopt_default;)*);

        impl Setting {
            /// The name that `set -o` or `shopt` knows it by.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$set => $set_name,)*
                    $(Self::$shopt => $shopt_name,)*
                }
            }

            /// The letter of `set`; a blank if there is none.
            pub(crate) fn letter(self) -> char {
                match self {
                    $(Self::$set => $letter,)*
                    $(Self::$shopt => ' ',)*
                }
            }

            /// What it is in a shell that runs a script.
            fn default(self) -> bool {
                match self {
                    $(Self::$set => $set_default,)*
                    $(Self::$shopt => $shopt_default,)*
                }
            }
        }
    };
}

all_settings! {
    set {
    AllExport "allexport" 'a' false;
    BraceExpand "braceexpand" 'B' true;
    Emacs "emacs" ' ' false;
    ErrExit "errexit" 'e' false;
    ErrTrace "errtrace" 'E' false;
    FuncTrace "functrace" 'T' false;
    HashAll "hashall" 'h' true;
    HistExpand "histexpand" 'H' false;
    History "history" ' ' false;
    IgnoreEof "ignoreeof" ' ' false;
    InteractiveComments "interactive-comments" ' ' true;
    Keyword "keyword" 'k' false;
    Monitor "monitor" 'm' false;
    NoClobber "noclobber" 'C' false;
    NoExec "noexec" 'n' false;
    NoGlob "noglob" 'f' false;
    NoLog "nolog" ' ' false;
    Notify "notify" 'b' false;
    NoUnset "nounset" 'u' false;
    OneCmd "onecmd" 't' false;
    Physical "physical" 'P' false;
    PipeFail "pipefail" ' ' false;
    Posix "posix" ' ' false;
    Privileged "privileged" 'p' false;
    Verbose "verbose" 'v' false;
    Vi "vi" ' ' false;
    XTrace "xtrace" 'x' false;
    }
    shopt {
    AutoCd "autocd" false;
    AssocExpandOnce "assoc_expand_once" false;
    CdableVars "cdable_vars" false;
    CdSpell "cdspell" false;
    CheckHash "checkhash" false;
    CheckJobs "checkjobs" false;
    CheckWinSize "checkwinsize" true;
    CmdHist "cmdhist" true;
    Compat31 "compat31" false;
    Compat32 "compat32" false;
    Compat40 "compat40" false;
    Compat41 "compat41" false;
    Compat42 "compat42" false;
    Compat43 "compat43" false;
    Compat44 "compat44" false;
    CompleteFullQuote "complete_fullquote" true;
    DirExpand "direxpand" false;
    DirSpell "dirspell" false;
    DotGlob "dotglob" false;
    ExecFail "execfail" false;
    ExpandAliases "expand_aliases" false;
    ExtDebug "extdebug" false;
    ExtGlob "extglob" false;
    ExtQuote "extquote" true;
    FailGlob "failglob" false;
    ForceFignore "force_fignore" true;
    GlobAsciiRanges "globasciiranges" true;
    GlobSkipDots "globskipdots" true;
    GlobStar "globstar" false;
    GnuErrFmt "gnu_errfmt" false;
    HistAppend "histappend" false;
    HistReedit "histreedit" false;
    HistVerify "histverify" false;
    HostComplete "hostcomplete" true;
    HupOnExit "huponexit" false;
    InheritErrExit "inherit_errexit" false;
    InteractiveCommentsShopt "interactive_comments" true;
    LastPipe "lastpipe" false;
    LitHist "lithist" false;
    LocalVarInherit "localvar_inherit" false;
    LocalVarUnset "localvar_unset" false;
    LoginShell "login_shell" false;
    MailWarn "mailwarn" false;
    NoEmptyCmdCompletion "no_empty_cmd_completion" false;
    NoCaseGlob "nocaseglob" false;
    NoCaseMatch "nocasematch" false;
    NoExpandTranslation "noexpand_translation" false;
    NullGlob "nullglob" false;
    PatsubReplacement "patsub_replacement" true;
    ProgComp "progcomp" true;
    ProgCompAlias "progcomp_alias" false;
    PromptVars "promptvars" true;
    RestrictedShell "restricted_shell" false;
    ShiftVerbose "shift_verbose" false;
    SourcePath "sourcepath" true;
    VarRedirClose "varredir_close" false;
    XpgEcho "xpg_echo" false;
    }
}

impl Setting {
    fn bit(self) -> u128 {
        1 << (self as u32)
    }

    /// The option of `set -o` of this name.
    pub(crate) fn by_set_name(name: &[u8]) -> Option<Self> {
        let mut all = Self::SET.iter().copied();
        all.find(|setting| setting.name().as_bytes() == name)
    }

    /// The option of `shopt` of this name.
    pub(crate) fn by_shopt_name(name: &[u8]) -> Option<Self> {
        let mut all = Self::SHOPT.iter().copied();
        all.find(|setting| setting.name().as_bytes() == name)
    }

    /// The option that `set` knows by this letter.
    pub(crate) fn by_letter(letter: u8) -> Option<Self> {
        let mut all = Self::SET.iter().copied();
        all.find(|setting| letter != b' ' && setting.letter() == char::from(letter))
    }
}

/// Which options are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings(u128);

impl Default for Settings {
    fn default() -> Self {
        let all = Setting::SET.iter().chain(Setting::SHOPT);
        let on = all.filter(|setting| setting.default());
        Self(on.fold(0, |bits, setting| bits | setting.bit()))
    }
}

impl Settings {
    /// All off.
    pub(crate) fn none() -> Self {
        Self(0)
    }

    /// Whether an option is on.
    pub(crate) fn has(self, setting: Setting) -> bool {
        self.0 & setting.bit() != 0
    }

    /// Turns an option on or off.
    pub(crate) fn set(&mut self, setting: Setting, on: bool) {
        if on {
            self.0 |= setting.bit();
        } else {
            self.0 &= !setting.bit();
        }
    }
}
