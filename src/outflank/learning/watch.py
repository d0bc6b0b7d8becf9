"""Observers of a run. Separate from `methods`, which loads more than a command needs for its help."""


class Watch:
    """Who watches a run: nobody."""

    def progress(self, what: str, done: int, of: int) -> None:
        """What is being done within a step, how much of it is done, and how much there is."""

    def tell(self, line: str) -> None:
        """Something to be read."""
