//! Who everybody is here: the file systems know no users, so there is one.

/// The name of the user, and of the group.
pub(crate) const NAME: &str = "user";
/// The number of the user, and of the group.
pub const ID: u32 = 1000;
/// What the machine is called if the environment does not say.
pub(crate) const HOST: &str = "hotcell";
