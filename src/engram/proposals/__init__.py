"""Proposals: what a person or an agent wants remembered, and what that means for the memory that is there."""
