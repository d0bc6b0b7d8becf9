"""Minimax, alpha-beta and iterative deepening over anybody's heuristic."""
