"""What must not become memory, and how text is shown inert. Pure: no I/O, nothing outside ``model`` and ``errors``.

Use ``scan.check`` at the door (before anything is shown for approval), ``scan.scan`` and ``scan.redact`` where a caller
decides for itself, and ``fence`` on the way out. Importing any of it compiles no pattern and loads no ``re``.
"""

# Goes up with every change of the rules: what is remembered about memories (service.giving) then counts no more.
RULES = 8
