/* The guest: QuickJS-ng and our glue as one translation unit.
 *
 * One unit, because the glue works on the engine's own structures (property shapes, the job list, var objects) and
 * because the later compiling tier will. The engine's sources are not in this repository: the image builder takes them
 * from the `rquickjs-sys` package, applies the few edits of `edits.rs`, and puts them on the include path. */

#include "platform.h"
#include "allocator.c"

#include "cutils.h"
#include "list.h"
#include "quickjs.h"
#include "libregexp.h"
#include "dtoa.h"

/* quickjs.c drops its stack check and picks a different thread model when it sees WASI; we want neither. */
#undef __wasi__
#define __STDC_NO_ATOMICS__ 1

#include "hooks.h"
#include "quickjs.c"

#include "host.h"
#include "state.c"
#include "operand-name.c"
#include "stop.c"
#include "wire.c"
#include "encode.c"
#include "decode.c"
#include "clone.c"
#include "policy.c"
#include "tools.c"
#include "library.c"
#include "globals.c"
#include "timers.c"
#include "source.c"
#include "run.c"
#include "boot.c"
