"""pydantic-monty's runs that wait: feed_start and dump, load_snapshot and resume. Prints medians in µs and bytes, as JSON."""

import json
import time
from importlib.metadata import version
from statistics import median

from pydantic_monty import Monty

CODE = "n = ask('?')\nn + 1"
TIMES = 300


def ask(question):
    raise AssertionError("nobody is asked")


def timed(work):
    began = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - began) * 1e6


suspended, resumed, size = [], [], 0
with Monty(max_processes=2) as pool:
    for _ in range(TIMES):
        with pool.checkout() as session:

            def suspend():
                snapshot = session.feed_start(CODE, external_lookup={"ask": ask})
                return snapshot, snapshot.dump()

            (snapshot, state), took = timed(suspend)
            suspended.append(took)
            size = len(state)

        def resume():
            with pool.checkout() as session:
                return session.load_snapshot(state, external_lookup={"ask": ask}).resume({"return_value": 41})

        end, took = timed(resume)
        assert end.output == 42, end
        resumed.append(took)

print(
    json.dumps(
        {
            "version": version("pydantic-monty"),
            "suspend": median(suspended),
            "resume": median(resumed),
            "bytes": size,
        }
    )
)
