"""The words of each language from which a verdict reads a sentence (F20): tables here, the rules are elsewhere."""
