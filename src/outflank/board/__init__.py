"""The rules of every variant: squares, kernels, Position and Game. The lowest room: it imports no other."""
