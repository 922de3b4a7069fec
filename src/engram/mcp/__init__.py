"""The MCP face: a protocol kernel of our own, and what Engram offers through it.

::

    server      the command engram-mcp: options, instructions      run(words)
    tools       one module a group of tools                        register(registry, desk)
    resources   engram://index and engram://memory/{id}
    desk        what the calls of one server share                 Desk.session(call)
    answers     a service's answer as text and as data             answer(…)

    process     file descriptors, threads, signals, the end        serve(registry)
    kernel      messages in, messages out; eras, calls, dialogs    Kernel.receive(line)
    methods     what the protocol itself defines                   tools/call, resources/read, …
    registry    what a server offers                               Registry.tool(…), .prompt(…), .method(…)
    call        one request as a handler sees it                   Call.ask, .progress, .begin_write, …

The kernel (the second half) knows nothing about memory; why it is our own: ``docs/decisions/0008-own-mcp-kernel.md``.
The first half knows nothing about files: its operations are the service's, imported by the first call that needs them.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    try:
        import _signal  # what `signal` wraps, as in `process`
    except ImportError:
        import signal as _signal

__all__ = ["main"]


def main() -> int:
    """Run ``engram-mcp`` and return its exit code."""
    # Until the server has a handler of its own, the system ends the process: Python would show a traceback (C29b).
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from engram.startup import find_own_modules

    find_own_modules()
    from engram.mcp.server import run

    return run(sys.argv[1:])
