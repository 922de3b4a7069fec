"""Working notes: what a task has to remember for some days, approved like all else, never durable by itself."""
