"""How the programs find and read Engram's own modules; who imports ``engram`` sees nothing of it.

Python looks each of sixty modules up among built-in and frozen ones, tries six kinds of file for it, and asks the file
system again for each: a twelfth of a cold command (docs/decisions/0002-cold-start.md).
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import BuiltinImporter, ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

__all__ = ["find_own_modules"]

# A compiled module is smaller; what is larger is left to Python.
_LARGEST = 64 * 1024
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
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
    """Finds the modules of this package at once, where they are plain files, and leaves all else to Python."""

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


def find_own_modules() -> None:
    """Find the modules of this package at once from now on: for a process that does nothing else.

    Whoever stands before Python's own finders, to watch or to replace modules, keeps seeing ours.
    """
    finders = sys.meta_path
    finders.insert(finders.index(BuiltinImporter) if BuiltinImporter in finders else 0, _OwnModules())
