"""The MCP face: a protocol kernel of our own, and what Engram offers through it.

::

    process     file descriptors, threads, signals, the end        serve(registry)
    kernel      messages in, messages out; eras, calls, dialogs    Kernel.receive(line)
    methods     what the protocol itself defines                   tools/call, resources/read, …
    registry    what a server offers                               Registry.tool(…), .prompt(…), .method(…)
    call        one request as a handler sees it                   Call.ask, .progress, .begin_write, …

The kernel knows nothing about memory; why it is our own: ``docs/decisions/0008-own-mcp-kernel.md``.
"""
