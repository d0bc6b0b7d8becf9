"""Games to learn from: played by the engine against itself or given, with a value for each move."""
