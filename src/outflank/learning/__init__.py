"""Players that improve: fitting the evaluation's weights to games."""
