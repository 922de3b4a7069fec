"""Memory for AI coding agents that the human owns."""
