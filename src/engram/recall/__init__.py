"""Task text to a ranked list of memories, each with its reasons."""
