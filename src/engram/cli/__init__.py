"""The ``engram`` command: reads the words, calls the service, prints. One module a command group."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from engram.errors import EngramError

__all__ = ["main", "program"]

_INTERRUPTED = 130


# A command makes some ten thousand objects and ends; the collector would look through them again and again.
_COLLECT_AFTER = 100_000


def program() -> NoReturn:
    """Run the command that this process was started for, and end the process: what the console script calls.

    Together with the collector's patience a quick end saves a cold command a tenth of its time.
    """
    import gc

    from engram.startup import find_own_modules

    gc.set_threshold(_COLLECT_AFTER)
    find_own_modules()
    code = main()
    # Everything was flushed; taking the interpreter apart piece by piece serves nobody but those who asked to be told.
    if "atexit" not in sys.modules and "threading" not in sys.modules:
        try:
            sys.stderr.flush()
        except OSError:
            pass  # nobody reads it any more
        os._exit(code)
    sys.exit(code)


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Exit codes: 0 ok, 1 error, 2 usage, 3 configuration, 4 integrity, 5 refused by safety, policy or a human, 6 a
    benchmark case got worse, 7 not found, 130 interrupted.
    """
    given = list(sys.argv[1:] if words is None else words)
    from engram.cli.output import prepare_streams

    prepare_streams()
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("\nInterrupted; nothing more was done.", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`engram list | head`): nothing is wrong.
        _drop_output()
        return 0
    except OSError as error:  # a full disk behind a redirected output shows only when the text is flushed
        _drop_output()
        try:
            print(f"error: The output could not be written: {error.strerror}", file=sys.stderr)
        except OSError:
            pass  # nor can the complaint about it; the exit code still tells
        return 1


def _drop_output() -> None:
    """Send what is still buffered nowhere: Python would complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    from engram.cli.output import Output, OutputError
    from engram.cli.parser import help_text, parse
    from engram.errors import EngramError, UsageError

    if words[:1] == ["hook"] and not {"--help", "-h"}.intersection(words):
        from engram.hooks import run_hook  # nothing of a command line stands between a host and its answer

        return run_hook(words[1:])
    output = Output(as_json="--json" in words)
    try:
        if [word for word in words if word != "--json"] in (["--version"], ["-V"], ["version"]):
            from engram.version import __version__

            output.text(f"engram {__version__}")
            return output.done({"version": __version__}) if output.as_json else 0
        name = next((word for word in words if not word.startswith("-")), "")
        if not name or name == "help":
            from engram.cli.overview import overview

            return overview(output, words)
        from engram.cli.commands import all_commands, find_command

        command = find_command(name)
        if command is None:
            from difflib import get_close_matches

            near = get_close_matches(name, [known.name for known in all_commands()], n=1)
            hint = f"Did you mean engram {near[0]}?" if near else "engram --help lists the commands."
            raise UsageError(f"There is no command {name}.", hint=hint)
        rest = list(words)
        rest.remove(name)
        parsed = parse(command, rest)
        if parsed.given("help"):
            return output.page(help_text(command))
        from engram.service.session import Session

        output.session = session = Session(parsed.value("workspace"))
        session.progress = output.reading
        module = __import__(command.module, fromlist=[command.function])
        code = getattr(module, command.function)(session, parsed, output)
        return int(code)
    except EngramError as error:
        return output.fail(error)
    except (BrokenPipeError, OutputError):
        raise
    except (OSError, ImportError, UnicodeError, RecursionError, MemoryError) as error:
        return output.fail(_unexpected(error))


def _unexpected(error: BaseException) -> EngramError:
    from engram.errors import EngramError

    path = str(getattr(error, "filename", "") or "")
    if path and isinstance(error, OSError):
        from engram.store.files import read_error

        return read_error(error, path)
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return EngramError(f"{path}: {reason}" if path else reason, path=path)
