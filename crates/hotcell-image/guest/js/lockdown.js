// The one lockdown of every cell. It ran before the first cell was made.
'use strict';

lockdown({
  errorTaming: 'unsafe', // stacks are how a model finds its mistake
  stackFiltering: 'concise',
  overrideTaming: 'moderate',
  localeTaming: 'unsafe', // our own locale methods are deterministic
  consoleTaming: 'unsafe', // ours replaces it
  evalTaming: 'unsafe-eval', // the cell is the compartment; source.c gates every evaluator, and direct eval stays direct
});
delete globalThis.lockdown;
delete globalThis.repairIntrinsics;
