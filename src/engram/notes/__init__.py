"""Working notes: what a task needs to remember for some days, approved as everything else and never durable by itself."""
