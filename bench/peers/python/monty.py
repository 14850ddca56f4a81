"""pydantic-monty: Python in worker processes of its own interpreter."""

from importlib.metadata import version as installed

from pydantic_monty import AsyncMonty, Monty

title = "pydantic-monty"
version = installed("pydantic-monty")
lacks = {"loop_guarded": "no counting", "command": "none", "concat": "> 10 s"}

_pool = None


async def create(*, timeout_ms, memory_mb, tools, many):
    limits = {
        "max_feed_duration_secs": timeout_ms / 1e3,
        "max_memory": memory_mb * 1024 * 1024,
        "max_suspensions": 10**9,
    }
    # Only the asynchronous interface can call coroutines; the other one is faster.
    return await (Asynchronous if "tool" in tools else Synchronous).create(limits, tools, many)


class Synchronous:
    @classmethod
    async def create(cls, limits, tools, many):
        global _pool
        _pool = _pool or Monty(max_processes=many).__enter__()
        self = cls()
        self.session = _pool.checkout(limits=limits).__enter__()
        self.tools = tools
        return self

    async def run(self, code):
        return self.session.feed_run(code, external_lookup=self.tools)

    async def drop(self):
        self.session.__exit__(None, None, None)


class Asynchronous:
    @classmethod
    async def create(cls, limits, tools, many):
        global _pool
        _pool = _pool or await AsyncMonty(max_processes=many).__aenter__()
        self = cls()
        self.session = await _pool.checkout(limits=limits).__aenter__()
        self.tools = tools
        return self

    async def run(self, code):
        return await self.session.feed_run(code, external_lookup=self.tools)

    async def drop(self):
        await self.session.__aexit__(None, None, None)
