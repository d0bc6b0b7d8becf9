"""Monte Carlo tree search: UCT with playouts, and PUCT guided by learnt tables."""
