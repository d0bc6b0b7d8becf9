"""What people write: features, functions of three bitboards, and weighted sums as data."""
