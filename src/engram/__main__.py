"""``python -m engram`` is ``engram``."""

from __future__ import annotations

import sys

from engram.cli import main

sys.exit(main())
