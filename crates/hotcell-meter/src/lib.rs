//! What the host may spend on a guest.
//!
//! WebAssembly bounds what a guest does itself. What the host does natively for it (parse its code, print its values, sort
//! its lines) is bounded here, by two things that such work is given and asks as it goes:
//!
//! - a [`Watch`], which says whether the run that the work is for has to end. [`Pace`] asks it now and then, so that a
//!   loop can call it for every byte;
//! - an [`Account`] of memory, which whatever is kept for the guest is charged to. A [`Charge`] is paid back when dropped.
//!
//! ```
//! use hotcell_meter::{Account, Pace, StopToken, Stopped};
//!
//! fn count_lines(text: &[u8], pace: &mut Pace<'_>) -> Result<usize, Stopped> {
//!     let mut lines = 0;
//!     for byte in text {
//!         pace.spend(1)?;
//!         lines += usize::from(*byte == b'\n');
//!     }
//!     Ok(lines)
//! }
//!
//! let token = StopToken::new();
//! assert_eq!(count_lines(b"a\nb\n", &mut Pace::new(&token)), Ok(2));
//! token.cancel();
//! assert_eq!(count_lines(&[0; 100_000], &mut Pace::new(&token)), Err(Stopped::Cancelled));
//!
//! let account = Account::new("memory", 100);
//! let charge = account.charge(80)?;
//! assert!(account.charge(80).is_err());
//! drop(charge);
//! assert!(account.charge(80).is_ok());
//! # Ok::<(), hotcell_meter::OverLimit>(())
//! ```

#![forbid(unsafe_code)]

mod account;
mod beat;
mod pace;
mod token;

pub use account::{Account, Charge, OverLimit};
pub use beat::{Working, beat};
pub use pace::{Pace, SharedPace, Unwatched, Watch};
pub use token::{StopToken, Stopped};
