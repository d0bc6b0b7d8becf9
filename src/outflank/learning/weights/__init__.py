"""Learning the weights of heuristics that people write, by several methods."""
