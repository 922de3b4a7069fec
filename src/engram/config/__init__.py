"""Configuration: one table of keys, the layers that set them, and edits that keep a file's comments (F21)."""
