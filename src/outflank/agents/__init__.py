"""Who plays: the spec language that names a player, and the players."""
