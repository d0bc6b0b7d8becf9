"""Games that were played and what they teach: openings, the library of games, and the judge of moves."""
