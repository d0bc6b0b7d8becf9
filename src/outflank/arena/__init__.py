"""Where players meet: openings, matches and tournaments, their statistics, and the store that keeps every game."""
