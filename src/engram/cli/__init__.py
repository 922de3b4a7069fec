"""The ``engram`` command: reads the words, calls the service, prints. One module a command group."""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import NoReturn

    from engram.errors import EngramError

__all__ = ["main", "program"]

_INTERRUPTED = 130


# A compiled module is smaller; what is larger is left to Python.
_LARGEST = 64 * 1024
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# A command makes some ten thousand objects and ends; the collector would look through them again and again.
_COLLECT_AFTER = 100_000


# Where Python keeps a compiled module beside its source, unless it was told otherwise.
_COMPILED = f".{sys.implementation.cache_tag}.pyc"
_BESIDE = sys.pycache_prefix is None and not sys.flags.optimize and sys.implementation.cache_tag is not None


class _Loader(SourceFileLoader):
    """Reads a compiled module in one go where it is as new as its source, and leaves all else to Python."""

    def __init__(self, name: str, file: str, made: os.stat_result, compiled: str) -> None:
        super().__init__(name, file)
        # docs.python.org/3/reference/import.html, "Cached bytecode invalidation": the source's time and size; the
        # eight bytes before them are the version and no flags. The layout is that of PEP 552.
        stamp = (int(made.st_mtime) & 0xFFFFFFFF, made.st_size & 0xFFFFFFFF)
        self._head = MAGIC_NUMBER + bytes(4) + b"".join([number.to_bytes(4, "little") for number in stamp])
        self._compiled = compiled

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module (docs.python.org/3/library/importlib.html, ``InspectLoader.get_code``)."""
        try:
            file = os.open(self._compiled, _READ)
            try:
                data = os.read(file, _LARGEST)
            finally:
                os.close(file)
            if data.startswith(self._head) and len(data) < _LARGEST:
                code: CodeType = loads(memoryview(data)[len(self._head) :])  # noqa: S302 - as Python itself does
                return code
        except (OSError, EOFError, ValueError, TypeError):
            pass  # Python's own way says what is wrong, or mends it
        return super().get_code(fullname)


class _OwnModules:
    """Finds the modules of this package at once, where they are plain files, and leaves all else to Python.

    Python looks each of sixty modules up among built-in and frozen ones, tries six kinds of file for it, and asks the
    file system again for each: a twelfth of a cold command (docs/decisions/0002-cold-start.md).
    """

    def find_spec(self, name: str, path: Sequence[str] | None, _target: object = None) -> ModuleSpec | None:
        """Return where a module is (docs.python.org/3/library/importlib.html, ``MetaPathFinder.find_spec``)."""
        if not path or not name.startswith("engram."):
            return None
        last = name.rpartition(".")[2]
        below = f"{path[0]}{os.sep}{last}"
        for folder, stem, folders in ((path[0], last, None), (below, "__init__", [below])):
            file = f"{folder}{os.sep}{stem}.py"
            try:
                made = os.stat(file)
            except OSError:
                continue
            compiled = f"{folder}{os.sep}__pycache__{os.sep}{stem}{_COMPILED}"
            loader = _Loader(name, file, made, compiled) if _BESIDE else SourceFileLoader(name, file)
            spec = ModuleSpec(name, loader, origin=file)
            spec.submodule_search_locations = folders
            spec.has_location = True
            if _BESIDE:
                spec.cached = compiled
            return spec
        return None  # packed otherwise


def program() -> NoReturn:
    """Run the command that this process was started for, and end the process: what the console script calls.

    Together with the collector's patience a quick end saves a cold command a tenth of its time.
    """
    import gc

    gc.set_threshold(_COLLECT_AFTER)
    sys.meta_path.insert(0, _OwnModules())
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
    except (OSError, UnicodeError, RecursionError, MemoryError) as error:
        return output.fail(_unexpected(error))


def _unexpected(error: BaseException) -> EngramError:
    from engram.errors import EngramError

    path = str(getattr(error, "filename", "") or "")
    if path and isinstance(error, OSError):
        from engram.store.files import read_error

        return read_error(error, path)
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return EngramError(f"{path}: {reason}" if path else reason, path=path)
