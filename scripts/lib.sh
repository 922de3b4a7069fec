# Shared by the scripts beside it; sourced, not run. Expects `set -euo pipefail`.

# usable_python PROGRAM: prints "MAJOR.MINOR PATH" when PROGRAM is a CPython that Engram supports and can make virtual
# environments. A name on PATH proves nothing: version managers put shims there for versions that are switched off.
usable_python() {
  "$1" -c '
import sys
import ensurepip, venv
if sys.version_info < (3, 11) or sys.implementation.name != "cpython":
    raise SystemExit(1)
print("%d.%d" % sys.version_info[:2], sys.executable)
' 2>/dev/null
}

# pick_python: prints the path of the newest interpreter on PATH that Engram supports.
pick_python() {
  local name found
  for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
    if found=$(usable_python "$name"); then
      echo "${found#* }"
      return
    fi
  done
  echo "Engram needs Python 3.11 or newer with the venv module; none was found on PATH. Name one: PYTHON=/path/to/python $0" >&2
  return 1
}

# venv_bin FOLDER: prints where a virtual environment keeps its programs.
venv_bin() {
  if [ -d "$1/Scripts" ]; then echo "$1/Scripts"; else echo "$1/bin"; fi
}

# make_venv FOLDER: makes the virtual environment, unless it is there and works. $PYTHON names the interpreter.
make_venv() {
  if ! usable_python "$(venv_bin "$1")/python" >/dev/null; then
    local python
    python=${PYTHON:-$(pick_python)}
    echo "Making $1 with $("$python" --version) ($python)" >&2
    "$python" -m venv --clear "$1"
  fi
}
