//! What runs in the background.

use std::{collections::VecDeque, io::Write, task::Poll};

use bstr::{BString, ByteSlice};
use hotcell_process::{Fd, Pid, Process, Signal, Status};

use crate::{settings::Setting, shell::Shell};

/// How many statuses of jobs that have ended are remembered for `wait`.
const REMEMBERED: usize = 1024;

/// The jobs of a shell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jobs {
    running: Vec<Job>,
    /// Statuses of processes that have ended, oldest first.
    ended: VecDeque<(Pid, Status)>,
    /// Those that `wait -n` may tell about.
    fresh: Vec<Pid>,
    /// They are those of the shell that this one is a clone of.
    is_lent: bool,
    /// Process substitutions: waited for, but never mentioned.
    hidden: Vec<Pid>,
}

/// A job.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// What `%1` calls it by.
    pub(crate) number: usize,
    /// Its processes, first to last, and the statuses of those that have ended.
    pub(crate) processes: Vec<(Pid, Option<Status>)>,
    /// The command.
    pub(crate) text: BString,
    /// The variable and the descriptors of a coprocess.
    pub(crate) coproc: Option<(BString, [Fd; 2])>,
}

impl Job {
    /// The last process: what `$!` was.
    pub(crate) fn pid(&self) -> Pid {
        self.processes.last().map_or(Pid(0), |(pid, _)| *pid)
    }

    /// The status of the last process, once all have ended.
    fn status(&self) -> Option<Status> {
        let all = self.processes.iter().map(|(_, status)| *status);
        all.reduce(std::option::Option::and).flatten()
    }
}

impl Jobs {
    /// A new job of these processes.
    pub(crate) fn add(&mut self, pids: Vec<Pid>, text: BString) -> usize {
        self.push(pids, text, None)
    }

    pub(crate) fn add_coproc(&mut self, pid: Pid, text: BString, name: BString, fds: [Fd; 2]) {
        self.push(vec![pid], text, Some((name, fds)));
    }

    fn push(&mut self, pids: Vec<Pid>, text: BString, coproc: Option<(BString, [Fd; 2])>) -> usize {
        self.own();
        let highest = self.running.iter().map(|job| job.number).max();
        let number = highest.unwrap_or(0) + 1;
        self.running.push(Job {
            number,
            processes: pids.into_iter().map(|pid| (pid, None)).collect(),
            text,
            coproc,
        });
        number
    }

    pub(crate) fn add_hidden(&mut self, pid: Pid) {
        self.own();
        self.hidden.push(pid);
    }

    /// Forgets all of them.
    pub(crate) fn disown_all(&mut self) {
        *self = Self::default();
    }

    /// In a subshell they can be listed and sent signals, but are not its children.
    pub(crate) fn lend(&mut self) {
        self.is_lent = true;
        self.ended.clear();
        self.fresh.clear();
        self.hidden.clear();
    }

    /// The first job of its own makes a subshell forget those of others.
    fn own(&mut self) {
        if self.is_lent {
            self.disown_all();
        }
    }

    /// Whether they are another shell's.
    pub(crate) fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// Those that run, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Job> {
        self.running.iter()
    }

    /// The coprocess that runs, if there is one.
    pub(crate) fn coproc(&self) -> Option<(Pid, &BString)> {
        let job = self.running.iter().rev().find(|job| job.coproc.is_some())?;
        job.coproc.as_ref().map(|(name, _)| (job.pid(), name))
    }

    /// The job that a process belongs to, if it can be waited for.
    pub(crate) fn of(&self, pid: Pid) -> Option<&Job> {
        if self.is_lent {
            return None;
        }
        self.running
            .iter()
            .find(|job| job.processes.iter().any(|(process, _)| *process == pid))
    }

    /// Whether it is a process substitution, which can be waited for as well.
    pub(crate) fn is_hidden(&self, pid: Pid) -> bool {
        self.hidden.contains(&pid)
    }

    /// The status of a process that has ended.
    pub(crate) fn remembered(&self, pid: Pid) -> Option<Status> {
        let mut all = self.ended.iter().rev();
        all.find(|(ended, _)| *ended == pid)
            .map(|(_, status)| *status)
    }

    /// Processes that have ended since the last command in the foreground and were not waited for, oldest first.
    pub(crate) fn fresh(&self) -> &[Pid] {
        &self.fresh
    }

    /// The status of a process that has ended, which `wait -n` does not tell again.
    pub(crate) fn claim(&mut self, pid: Pid) -> Option<Status> {
        self.fresh.retain(|fresh| *fresh != pid);
        self.remembered(pid)
    }

    /// Forgets the statuses of those that have ended.
    pub(crate) fn forget(&mut self) {
        self.ended.clear();
        self.fresh.clear();
    }

    /// Forgets a job: nobody waits for it.
    pub(crate) fn remove(&mut self, number: usize) -> Option<Job> {
        let index = self.running.iter().position(|job| job.number == number)?;
        let job = self.running.remove(index);
        // It is still a child that has to be waited for at its end.
        self.hidden
            .extend(job.processes.iter().map(|(pid, _)| *pid));
        Some(job)
    }

    /// The current job (`%+`) and the previous one (`%-`).
    pub(crate) fn current(&self) -> (Option<usize>, Option<usize>) {
        let mut newest = self.running.iter().rev().map(|job| job.number);
        (newest.next(), newest.next())
    }

    /// The job that a specification such as `%1`, `%+`, `%name`, `%?text` means.
    pub(crate) fn find(&self, spec: &[u8]) -> Result<&Job, JobError> {
        let name = spec.strip_prefix(b"%").unwrap_or(spec);
        let by_number = |number: Option<usize>| {
            let number = number.ok_or(JobError::NoSuchJob)?;
            let mut all = self.running.iter();
            all.find(|job| job.number == number)
                .ok_or(JobError::NoSuchJob)
        };
        match name {
            b"" | b"%" | b"+" => return by_number(self.current().0),
            b"-" => {
                let (current, previous) = self.current();
                return by_number(previous.or(current));
            }
            _ => {}
        }
        if name.iter().all(u8::is_ascii_digit) {
            return by_number(name.to_str().ok().and_then(|digits| digits.parse().ok()));
        }
        let matches = |job: &&Job| match name.strip_prefix(b"?") {
            Some(text) => job.text.contains_str(text),
            None => job.text.starts_with(name),
        };
        let mut found = self.running.iter().filter(matches);
        let job = found.next().ok_or(JobError::NoSuchJob)?;
        if found.next().is_some() {
            let text = name.strip_prefix(b"?").unwrap_or(name);
            return Err(JobError::Ambiguous(text.into()));
        }
        Ok(job)
    }

    /// What `jobs` prints of one that runs.
    pub(crate) fn line(&self, job: &Job, with_pids: bool) -> Vec<u8> {
        self.line_with(job, with_pids, "Running", b" &\n")
    }

    fn line_with(&self, job: &Job, with_pids: bool, state: &str, end: &[u8]) -> Vec<u8> {
        let (current, previous) = self.current();
        let mark = if Some(job.number) == current {
            '+'
        } else if Some(job.number) == previous {
            '-'
        } else {
            ' '
        };
        let mut line = format!("[{}]{mark} ", job.number).into_bytes();
        if with_pids {
            line.extend_from_slice(
                format!("{:>5} ", job.processes.first().map_or(0, |(pid, _)| pid.0)).as_bytes(),
            );
        } else {
            line.push(b' ');
        }
        line.extend_from_slice(format!("{state:<24}").as_bytes());
        line.extend_from_slice(&job.text);
        line.extend_from_slice(end);
        line
    }
}

/// Why a specification means no job.
pub(crate) enum JobError {
    /// There is none.
    NoSuchJob,
    /// There are several whose commands are like this.
    Ambiguous(BString),
}

impl Shell {
    /// Notes which processes have ended.
    pub(crate) fn reap(&mut self, process: &Process) {
        if self.jobs.running.is_empty() && self.jobs.hidden.is_empty() {
            return;
        }
        if self.jobs.is_lent {
            let is_alive = |job: &Job| {
                let mut pids = job.processes.iter();
                pids.any(|(pid, _)| process.is_alive(*pid))
            };
            self.jobs.running.retain(is_alive);
            return;
        }
        let hidden = std::mem::take(&mut self.jobs.hidden);
        for pid in hidden {
            match process.try_wait(pid) {
                Poll::Pending => self.jobs.hidden.push(pid),
                Poll::Ready(status) => self.remember(pid, status.unwrap_or(Status::SUCCESS)),
            }
        }
        let mut index = 0;
        while let Some(mut job) = self.jobs.running.get(index).cloned() {
            if self.has_ended(process, &mut job) {
                self.jobs.running.remove(index);
                continue;
            }
            if let Some(place) = self.jobs.running.get_mut(index) {
                *place = job;
            }
            index += 1;
        }
    }

    /// After a command in the foreground: bash has noted then what ended meanwhile, and `wait -n` does not wait for it.
    #[inline]
    pub(crate) fn settle_jobs(&mut self, process: &Process) {
        if !self.jobs.running.is_empty() || !self.jobs.hidden.is_empty() {
            self.reap(process);
        }
        self.jobs.fresh.clear();
    }

    /// Whether all processes of a job have ended; then they are remembered.
    fn has_ended(&mut self, process: &Process, job: &mut Job) -> bool {
        for (pid, status) in &mut job.processes {
            if status.is_none()
                && let Poll::Ready(ended) = process.try_wait(*pid)
            {
                *status = Some(ended.unwrap_or(Status::SUCCESS));
            }
        }
        let Some(status) = job.status() else {
            return false;
        };
        for (pid, status) in &job.processes {
            if let Some(status) = status {
                self.remember(*pid, *status);
            }
        }
        self.report_ended(process, job, status);
        if let Some((name, fds)) = &job.coproc {
            for fd in fds {
                process.close(*fd);
            }
            self.unset_variable(name);
            let pid_name = [name.as_slice(), b"_PID"].concat();
            self.unset_variable(&pid_name);
        }
        true
    }

    fn remember(&mut self, pid: Pid, status: Status) {
        if self.jobs.ended.len() == REMEMBERED {
            self.jobs.ended.pop_front();
        }
        self.jobs.ended.push_back((pid, status));
        self.jobs.fresh.push(pid);
    }

    /// A job in the background that was killed is reported, unless that is the usual way to end one.
    fn report_ended(&self, process: &Process, job: &Job, status: Status) {
        if self.has(Setting::Monitor) && !self.is_substitution {
            let state = match status {
                Status::Exited(0) => "Done".to_owned(),
                Status::Exited(code) => format!("Exit {code}"),
                Status::Signaled(signal) => describe_signal(signal).to_owned(),
            };
            let line = self.jobs.line_with(job, false, &state, b"\n");
            let _ = process.stderr().write_all(&line);
            return;
        }
        let Status::Signaled(signal) = status else {
            return;
        };
        let is_usual = matches!(signal, Signal::INT | Signal::TERM | Signal::PIPE);
        if is_usual || self.is_substitution {
            return;
        }
        let mut line = self.name_for_messages().to_vec();
        let state = describe_signal(signal);
        line.extend_from_slice(
            format!(": line {}: {:>5} {state:<24}", self.line, job.pid().0).as_bytes(),
        );
        line.extend_from_slice(&job.text);
        line.push(b'\n');
        let _ = process.stderr().write_all(&line);
    }

    /// Waits until a process has ended or a trapped signal comes: `None` for the latter.
    pub(crate) fn wait_for(&mut self, process: &Process, pid: Pid) -> Option<Status> {
        loop {
            self.reap(process);
            if self.jobs.of(pid).is_none() && !self.jobs.hidden.contains(&pid) {
                return Some(self.jobs.remembered(pid).unwrap_or(Status::SUCCESS));
            }
            self.wait_for_any(process)?;
        }
    }

    /// Waits until a process of any job has ended, or a trapped signal comes: `None` for the latter.
    pub(crate) fn wait_for_any(&mut self, process: &Process) -> Option<()> {
        let jobs = &mut self.jobs.running;
        let hidden = &self.jobs.hidden;
        process.interruptible(|| {
            if hidden.iter().any(|pid| !process.is_alive(*pid)) {
                return Poll::Ready(());
            }
            // Who ends next wakes this process, whichever it is.
            for pid in hidden {
                process.watch(*pid);
            }
            for job in jobs.iter_mut() {
                for (pid, status) in &mut job.processes {
                    if status.is_some() {
                        continue;
                    }
                    if let Poll::Ready(ended) = process.try_wait(*pid) {
                        *status = Some(ended.unwrap_or(Status::SUCCESS));
                        return Poll::Ready(());
                    }
                }
            }
            Poll::Pending
        })
    }
}

/// What bash says of a process that a signal has ended.
pub(crate) fn describe_signal(signal: Signal) -> &'static str {
    match signal {
        Signal::HUP => "Hangup",
        Signal::INT => "Interrupt",
        Signal::QUIT => "Quit",
        Signal::ILL => "Illegal instruction",
        Signal::TRAP => "Trace/breakpoint trap",
        Signal::ABRT => "Aborted",
        Signal::BUS => "Bus error",
        Signal::FPE => "Floating point exception",
        Signal::KILL => "Killed",
        Signal::USR1 => "User defined signal 1",
        Signal::SEGV => "Segmentation fault",
        Signal::USR2 => "User defined signal 2",
        Signal::PIPE => "Broken pipe",
        Signal::ALRM => "Alarm clock",
        Signal::TERM => "Terminated",
        Signal::STKFLT => "Stack fault",
        Signal::CHLD => "Child exited",
        Signal::CONT => "Continued",
        Signal::STOP => "Stopped (signal)",
        Signal::TSTP => "Stopped",
        Signal::TTIN => "Stopped (tty input)",
        Signal::TTOU => "Stopped (tty output)",
        Signal::URG => "Urgent I/O condition",
        Signal::XCPU => "CPU time limit exceeded",
        Signal::XFSZ => "File size limit exceeded",
        Signal::VTALRM => "Virtual timer expired",
        Signal::PROF => "Profiling timer expired",
        Signal::WINCH => "Window changed",
        Signal::IO => "I/O possible",
        Signal::PWR => "Power failure",
        _ => "Bad system call",
    }
}
