"""Games that were played, and what they teach: review of a game."""
