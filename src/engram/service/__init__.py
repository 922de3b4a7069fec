"""The operations of Engram; each exists once, takes and returns model types, and every face translates it."""
