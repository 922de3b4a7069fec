"""Text without I/O: words, slugs, JSON with comments."""
