"""From a task to a pack: which memories, in which order, in how many tokens."""
