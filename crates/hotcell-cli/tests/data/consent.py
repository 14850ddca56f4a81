"""The story of consent over stdio: three tools, the second needs consent, and another process gives it.

Usage: consent.py HOTCELL. Prints "ok", or fails.
"""

import json
import subprocess
import sys

CODE = """const a = await look(1);
const b = await pay(10);
const c = await tell(100);
a + b + c"""
TOOLS = [{"name": "look"}, {"name": "pay", "permission": "ask"}, {"name": "tell"}]


class Server:
    """A server of its own, with tools that count their calls."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.argv[1], "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.counts = {"look": 0, "pay": 0, "tell": 0}
        self.last = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, method, **params):
        """The result of a request; meanwhile calls of tools are answered."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("method") == "tool.call":
                self.counts[message["params"]["tool"]] += 1
                self.send({"id": message["id"], "result": message["params"]["args"][0]})
            elif message.get("method") == "tool.approval":
                # Nobody is here who could decide.
                self.send({"id": message["id"], "result": {"$": "suspend"}})
            elif message.get("id") == self.last:
                assert "result" in message, message
                return message["result"]

    def kill(self):
        self.process.kill()
        self.process.wait()


first = Server()
executor = first.call("executor.create")["executor"]
first.call("executor.init", executor=executor)
first.call("executor.sendTools", executor=executor, tools=TOOLS)
run = first.call("executor.start", executor=executor, code=CODE)
assert run["status"] == "suspended", run
snapshot = first.call("executor.snapshot", executor=executor)["snapshot"]
first.kill()
assert first.counts == {"look": 1, "pay": 0, "tell": 0}, first.counts

second = Server()
info = second.call("inspectSnapshot", snapshot=snapshot)
assert [call["tool"] for call in info["run"]["calls"]] == ["pay"], info
executor = second.call("executor.restore", snapshot=snapshot)["executor"]
second.call("executor.sendTools", executor=executor, tools=TOOLS)
asked = second.call("executor.suspension", executor=executor)
[call] = asked["calls"]
assert (call["tool"], call["arguments"], call["reason"]) == ("pay", [10], "approval"), call
assert [(made["tool"], made["outcome"]) for made in asked["made"]] == [("look", "returned"), ("pay", "unanswered")]
end = second.call("executor.resume", executor=executor, answers={call["id"]: {"approve": True}})
assert (end["status"], end["output"]) == ("complete", 111), end
assert second.counts == {"look": 0, "pay": 1, "tell": 1}, second.counts
second.kill()
print("ok")
