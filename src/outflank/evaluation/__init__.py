"""What a position is worth: features, heuristics made of them, and the engine's patterns."""
