<<<<<<< HEAD
"""Task text to a ranked list of memories, each with its reasons."""
=======
"""From a task to a pack: which memories, in which order, in how many tokens."""
>>>>>>> main
