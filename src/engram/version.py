"""The version, as a constant: reading package metadata would cost more than starting Python."""

__version__ = "0.1.0"
