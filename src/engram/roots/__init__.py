"""Which folders apply here: the workspace's memory, that of its main worktree, the global one (F1)."""
