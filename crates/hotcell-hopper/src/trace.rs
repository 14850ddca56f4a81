//! Every code that a failure can have, with its words.
//!
//! The words belong to the code: they are the same whatever was asked, so that nothing of a request (arguments, environment,
//! input) can get into them, and so that two runs tell the same.

/// A code, and the words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// The stable part.
    pub code: &'static str,
    /// What a reader is told.
    pub msg: &'static str,
}

macro_rules! traces {
    ($($name:ident = $code:literal, $msg:literal;)+) => {
        $(#[doc = concat!("`", $code, "`: ", $msg, ".")]
        pub const $name: Trace = Trace { code: $code, msg: $msg };)+

        /// All of them.
        pub const ALL: &[Trace] = &[$($name),+];
    };
}

traces! {
    // `_ctl`.
    CTL_BAD_FRAME = "t_ctl_bad_frame", "bad frame form";
    CTL_BAD_VERSION = "t_ctl_bad_version", "unknown version: this host speaks 1";
    CTL_UNKNOWN_OP = "t_ctl_unknown_op", "unknown operation";
    CTL_TIMEOUT = "t_ctl_timeout", "operation timed out";
    CTL_OVERFLOW = "t_ctl_overflow", "request too large, or no handle left";
    CTL_BAD_PARAMS = "t_ctl_bad_params", "payload does not have the form of this operation";
    // Capabilities.
    CAP_MISSING = "t_cap_missing", "capability not available";
    CAP_DENIED = "t_cap_denied", "capability not allowed, or not opened this way";
    // The hub, as selectors tell it.
    ASYNC_BAD_PARAMS = "t_async_bad_params", "parameters do not have the form of this request";
    ASYNC_UNKNOWN_SELECTOR = "t_async_unknown_selector", "no such selector in this capability: CAPS_DESCRIBE lists them";
    ASYNC_UNSUPPORTED = "t_async_unsupported", "known, but not offered by this host";
    ASYNC_OVERFLOW = "t_async_overflow", "too many requests, or a result too large: read events, ask for less";
    // The hub, about commands.
    ASYNC_BAD_FRAME = "t_async_bad_frame", "not a ZAX1 command: the hub is closed";
    ASYNC_PAYLOAD = "t_async_payload", "payload longer than the hub takes";
    ASYNC_UNKNOWN_OP = "t_async_unknown_op", "op";
    ASYNC_UNKNOWN_SOURCE = "t_async_unknown_source", "unknown kind of source: 1 is OPAQUE, 2 is CAP_SELECTOR";
    ASYNC_FUTURE_EXISTS = "t_async_future_exists", "future id used before in this session";
    ASYNC_MISSING_FUTURE = "t_async_missing_future", "no such future in this session";
    ASYNC_JOIN_LIMIT = "t_async_join_limit", "join limit exceeded";
    // exec/default.
    EXEC_NOT_ALLOWED = "t_exec_not_allowed", "program not allowed";
    EXEC_BAD_PROG = "t_exec_bad_prog", "not a program id: letters, digits, _ and -, in parts between single slashes";
    EXEC_BAD_ARGS = "t_exec_bad_args", "arguments or environment beyond their limits (CAPS_DESCRIBE tells them), or a bad name";
    EXEC_LIMITS = "t_exec_limits", "no resources left for another program in this run";
    EXEC_NOT_FOUND = "t_exec_not_found", "no such program, or no such exec id";
    EXEC_TOO_MANY_HANDLES = "t_exec_too_many_handles", "too many handles: read outputs to their end, end inputs";
    EXEC_BAD_ENCODING = "t_exec_bad_encoding", "a text is not UTF-8 without control bytes";
    EXEC_TTY_DENIED = "t_exec_tty_denied", "the program needs a terminal, and there is none";
    EXEC_BUSY = "t_exec_busy", "too many programs at once: wait until one ends";
    EXEC_NOT_LISTABLE = "t_exec_not_listable", "status is not told by this host";
    // file/view.
    FILE_NOT_FOUND = "t_file_not_found", "no such file";
    FILE_NOT_READABLE = "t_file_not_readable", "not a file that can be read";
    FILE_DENIED = "t_file_denied", "not a scope of this view: use the id of a directory, or nothing for the root";
    // net/tcp.
    NET_DENIED = "t_net_denied", "destination not allowed";
    NET_UNREACHABLE = "t_net_unreachable", "destination not reachable";
    // config/default.
    CONFIG_NOT_FOUND = "t_config_not_found", "no such key";
    CONFIG_BAD_KEY = "t_config_bad_key", "not a key: letters, digits, dots, _ and -, without two dots in a row";
    CONFIG_TOO_LARGE = "t_config_too_large", "value longer than this host tells";
    CONFIG_REDACTED = "t_config_redacted", "value is secret";
    CONFIG_NOT_LISTABLE = "t_config_not_listable", "keys are not listed by this host";
    // Transcripts.
    SPECIMEN_CTL_MISMATCH = "t_specimen_ctl_mismatch", "a control request differs from the recorded one";
    SPECIMEN_WRITE_MISMATCH = "t_specimen_write_mismatch", "written bytes differ from the recorded ones";
    SPECIMEN_EOF = "t_specimen_eof", "the transcript has no further record for this call";
    SPECIMEN_UNUSED = "t_specimen_unused", "the run ended before the transcript did";
}

/// The longest `trace` and `msg` together: what room an event for a failure needs at most.
pub const LONGEST: usize = longest();

const fn longest() -> usize {
    let (mut index, mut longest) = (0, 0);
    while index < ALL.len() {
        let length = ALL[index].code.len() + ALL[index].msg.len();
        if length > longest {
            longest = length;
        }
        index += 1;
    }
    longest
}
