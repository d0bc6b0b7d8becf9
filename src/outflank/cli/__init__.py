"""The command line: one thin module per command. The rooms below do the work."""
