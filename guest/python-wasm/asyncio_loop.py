"""asyncio's event loop for the wasm tier.

Takes the place of asyncio/unix_events.py in python313.zip.  There are no sockets, pipes, threads or
child processes here, so the loop knows timers and callbacks only, and waits by sleeping.
"""

import time

from . import base_events
from . import events

__all__ = ("SelectorEventLoop", "DefaultEventLoopPolicy", "EventLoop")


class _Sleeper:
    """What BaseEventLoop calls its selector: with nothing to select from, it only waits."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError(
                "deadlock: every task waits, and no timer or callback is left that could wake one"
            )
        if timeout > 0:
            time.sleep(timeout)
        return ()


class SelectorEventLoop(base_events.BaseEventLoop):
    """Timers, callbacks, futures and tasks; no input or output to wait for."""

    def __init__(self):
        super().__init__()
        self._selector = _Sleeper()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass  # no other thread exists that would have to wake this one

    def run_in_executor(self, executor, func, *args):
        """Without threads the call is made here and now; the loop stands still meanwhile."""
        self._check_closed()
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except StopIteration as error:
            future.set_exception(RuntimeError(f"{error!r} in an executor"))
        except Exception as error:
            future.set_exception(error)
        return future

    async def shutdown_default_executor(self, timeout=None):
        self._executor_shutdown_called = True


class _Policy(events.BaseDefaultEventLoopPolicy):
    _loop_factory = SelectorEventLoop


DefaultEventLoopPolicy = _Policy
EventLoop = SelectorEventLoop
