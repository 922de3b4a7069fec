"""The derived index: memories as postings in one disposable SQLite file."""
