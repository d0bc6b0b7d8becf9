"""The engine and the solver: one compiled search of the whole game, and the loop that deepens it."""
