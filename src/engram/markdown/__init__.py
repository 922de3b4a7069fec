"""Bytes to memories and back, lossless, for schemas 1 to 3 (F5 to F9, F17)."""
