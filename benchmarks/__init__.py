"""How fast Engram is, as ratios to the start of the interpreter it runs on: ``python -m benchmarks``."""
