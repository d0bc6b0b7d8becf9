"""The command line: one module a command, thin. The rooms below do the work."""
