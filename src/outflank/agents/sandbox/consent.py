"""Whether the user has agreed to run submissions with too little protection: `--unsafe`."""

import os

ACCEPTED = "OUTFLANK_UNSAFE"
"""In the environment, so that the processes that we start know it too."""
YES = ("1", "true", "yes", "on")


def accept_missing_protection() -> None:
    """From now on, in this process and those it starts, submissions run as well as this machine can enclose them."""
    os.environ[ACCEPTED] = "1"


def accepted() -> bool:
    return os.environ.get(ACCEPTED, "").lower() in YES
