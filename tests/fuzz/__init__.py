"""Fuzzing by a script: ``scripts/fuzz`` feeds broken input to the real entry points, minute after minute."""
