"""Players that improve: every method of learning under one loop."""
