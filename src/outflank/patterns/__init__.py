"""The engine's evaluation: weights of patterns of squares, looked up as a game goes on."""
