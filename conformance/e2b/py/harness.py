"""Scenarios for the Python clients. Each is written once and runs with the synchronous and with the asynchronous client:
`await both(...)` waits for a coroutine and hands on anything else. With the synchronous client nothing ever suspends, so
that it runs as in a program without an event loop."""

import asyncio
import inspect
import json
import os
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

CLIENT = os.environ["GLOVEBOX_CLIENT"]
TIER = os.environ["GLOVEBOX_TIER"]
RESULTS = os.environ["GLOVEBOX_RESULTS"]
OTHER_KEY = os.environ.get("GLOVEBOX_OTHER_KEY")
SYNC = CLIENT.endswith("sync") and not CLIENT.endswith("async")
LINUX = TIER in ("jail", "gvisor")
RUN = f"{CLIENT}-{TIER}-{os.getpid()}"
BASE = f"base:{TIER}"
CODE = f"code-interpreter-v1:{TIER}"
AT_ONCE = 3
# Long enough for a process of this suite, short enough that nothing stays for long when it is killed.
SANDBOX_SECONDS = 240

SCENARIOS = []


def scenario(name, only=True):
    """Adds a scenario; what a tier cannot have is none of it, and is not counted."""

    def add(function):
        if only:
            SCENARIOS.append((name, function))
        return function

    return add


async def both(value):
    return await value if inspect.isawaitable(value) else value


async def pause(seconds):
    if SYNC:
        time.sleep(seconds)
    else:
        await asyncio.sleep(seconds)


async def eventually(what, check, within=10.0, every=0.05):
    end = time.monotonic() + within
    while True:
        seen = await check()
        if seen:
            return seen
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s: {what}")
        await pause(every)


async def rejects(error, call, *texts):
    """Whether a call fails with one of these errors, and with these texts in its message. `call` makes the call."""
    try:
        answer = await both(call())
    except error as thrown:
        for text in texts:
            assert text in str(thrown), f"{text!r} is not in {thrown}"
        return thrown
    raise AssertionError(f"{error} expected, but it answered {answer!r}")


class Sandboxes:
    """`async with Sandboxes(cls, template)`: one that ends with the block, whatever the client."""

    def __init__(self, cls, template=BASE, **options):
        self._cls = cls
        self._template = template
        self._options = {"timeout": SANDBOX_SECONDS, **options}
        self._options["metadata"] = {"run": RUN, **options.get("metadata", {})}

    async def __aenter__(self):
        self._sandbox = await both(self._cls.create(self._template, **self._options))
        return self._sandbox

    async def __aexit__(self, *_):
        try:
            await both(self._sandbox.kill())
        except Exception:
            pass


_names = 0


def fresh(prefix="file"):
    """A path that no other scenario uses."""
    global _names
    _names += 1
    return f"/home/user/{prefix}-{_names}"


def _report(name, begun, error=None):
    line = {"scenario": name, "status": "fail" if error else "pass", "ms": round((time.monotonic() - begun) * 1000)}
    if error:
        where = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith("scenarios.py")]
        place = f" [scenarios.py:{where[-1].lineno}]" if where else ""
        line["error"] = f"{type(error).__name__}: {error}{place}"[:1500]
    _write(line)


def _write(line):
    with open(RESULTS, "a") as out:
        out.write(json.dumps(line) + "\n")


def _drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise AssertionError("the synchronous client suspended")


def _one_sync(item):
    name, function = item
    begun = time.monotonic()
    try:
        _drive(function())
        _report(name, begun)
    except BaseException as error:
        _report(name, begun, error)


async def _all_async(items):
    places = asyncio.Semaphore(AT_ONCE)

    async def one(name, function):
        async with places:
            begun = time.monotonic()
            try:
                await asyncio.wait_for(function(), 60)
                _report(name, begun)
            except BaseException as error:
                _report(name, begun, error)

    await asyncio.gather(*(one(*item) for item in items))


def main(groups):
    wanted = os.environ.get("GLOVEBOX_E2B_SCENARIO", "")
    items = [item for item in SCENARIOS if item[0].split("/")[0] in groups and wanted in item[0]]
    if SYNC:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(_one_sync, items))
    else:
        asyncio.run(_all_async(items))
    # The last line says how many there were: a process that ends before it has lost some.
    _write({"done": len(items)})
    sys.stdout.flush()
    # What the clients keep open must not keep this process.
    os._exit(0)
