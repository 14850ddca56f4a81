"""Measures one Python peer: `python runner.py <peer> <request>` prints one line of JSON. README.md describes both."""

import asyncio
import importlib
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "python"))
name, text = sys.argv[1:]
request = json.loads(text)
peer = importlib.import_module(name)
budget = request.get("budgetMs", 0) / 1e3
runs = 0


async def tool(n):
    return n + 1


def stool(n):
    return n + 1


TOOLS = {"async": {"tool": tool}, "sync": {"stool": stool}}


async def executor():
    return await peer.create(
        timeout_ms=request.get("timeoutMs") or 60_000,
        memory_mb=request.get("memoryMb") or 256,
        tools=TOOLS.get(request.get("tools"), {}),
        many=21 if request["kind"] == "memory" else 1,
    )


async def evaluate(one):
    global runs
    runs += 1
    value = await one.run(request["code"].replace("$n", str(runs)))
    if value != request.get("value", value):
        raise AssertionError(f"{request['code']} gave {value}")


async def micros(work):
    began = time.perf_counter()
    result = await work()
    return (time.perf_counter() - began) * 1e6, result


async def sample(once):
    """Warms up for twice the budget, then collects what `once` returns for the budget."""

    async def repeat(seconds, at_least):
        samples = []
        end = time.perf_counter() + seconds
        while len(samples) < at_least or time.perf_counter() < end:
            samples.append(await once())
        return samples[-1000:]

    await repeat(budget * 2, 1)
    return {"samples": await repeat(budget, 2)}


async def about():
    return {"title": peer.title, "version": peer.version, "lacks": peer.lacks}


async def first():
    await evaluate(await executor())
    return {"value": request["value"]}


async def create():
    async def once():
        took, one = await micros(executor)
        await one.drop()
        return took

    return await sample(once)


async def life():
    async def whole():
        one = await executor()
        await evaluate(one)
        await one.drop()

    async def once():
        return (await micros(whole))[0]

    return await sample(once)


async def run():
    one = await executor()
    if setup := request.get("setup"):
        await one.run(setup)

    async def once():
        return (await micros(lambda: evaluate(one)))[0]

    return await sample(once)


async def ended(one):
    """What an executor says that is told to do something endless."""
    try:
        return {"value": str(await one.run(request["code"]))}
    except Exception as error:
        return {"error": str(error)[:200]}


async def kill():
    async def once():
        one = await executor()
        took, end = await micros(lambda: ended(one))
        if "error" not in end:
            raise AssertionError("an endless loop ended")
        await one.drop()
        return took - request["timeoutMs"] * 1e3

    return await sample(once)


async def exhaust():
    async def beat():
        while True:
            await asyncio.sleep(0.2)
            print('{"beat":true}', flush=True)

    beating = asyncio.create_task(beat())
    one = await executor()
    took, end = await micros(lambda: ended(one))
    beating.cancel()
    return {**end, "ms": took / 1e3}


async def memory():
    executors = [await executor()]
    await evaluate(executors[0])
    before = pss()
    while len(executors) < 21:
        one = await executor()
        await evaluate(one)
        executors.append(one)
    return {"samples": [(pss() - before) / (len(executors) - 1)]}


def pss():
    """KiB that this process and its children hold, shared pages counted by their share."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[entry.name] = (entry / "stat").read_text().rpartition(") ")[2].split()[1]
        except OSError:
            pass
    family = {str(os.getpid())}
    size = 0
    while size < len(family):
        size = len(family)
        family |= {pid for pid, parent in parents.items() if parent in family}
    rollups = (Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in family)
    return sum(int(line.split()[1]) for text in rollups for line in text.splitlines() if line.startswith("Pss:"))


KINDS = {kind.__name__: kind for kind in (about, first, create, life, run, memory, kill, exhaust)}
print(json.dumps(asyncio.run(KINDS[request["kind"]]())), flush=True)
# Not through the ends of worker processes that may still be at it.
os._exit(0)
