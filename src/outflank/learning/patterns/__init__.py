"""Learning the engine's pattern weights."""
