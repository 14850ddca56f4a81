// The one lockdown of every cell. It ran before the first cell was made.
'use strict';

lockdown({
  errorTaming: 'unsafe', // stacks are how a model finds its mistake
  stackFiltering: 'concise',
  overrideTaming: 'moderate',
  localeTaming: 'unsafe', // our own locale methods are deterministic
  consoleTaming: 'unsafe', // ours replaces it
});
delete globalThis.lockdown;
delete globalThis.repairIntrinsics;
