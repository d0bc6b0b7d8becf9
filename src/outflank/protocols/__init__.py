"""The wire formats of Othello programs, GTP and NBoard, from both ends: ours as an engine, theirs as a player."""
