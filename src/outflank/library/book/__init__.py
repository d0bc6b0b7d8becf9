"""The opening book: positions with the values of their moves, grown by our engine."""
