"""Hosts: one module each with the facts of where its files are and what goes in; edits on texts, no disk."""
