"""The version, as a constant: reading package metadata would cost more than starting Python."""

__version__ = "0.1.0"

# The version of the envelope `{contract_version, ok, data, diagnostics}` that `--json` and the tools answer with.
CONTRACT_VERSION = "1"
