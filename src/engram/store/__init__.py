"""The only writer of durable files: lock, journal, ledger, archive, trust (F13 to F18)."""
