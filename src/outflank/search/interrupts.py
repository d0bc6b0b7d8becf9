"""Whether a search that will not stop may end the process. Apart from the driver, so that the command line can
say so at once and still answer `--help` without loading NumPy."""

exit_when_stuck = False
"""True in the command line's own process: there, Ctrl-C always works, even inside an endless user heuristic."""
