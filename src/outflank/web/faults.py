"""What the page's server refuses, and how."""

import json
from typing import Any

from outflank.errors import Fault
from outflank.protocols.faults import told as told  # the server's rooms have these from here
from outflank.protocols.faults import without_folders as without_folders
from outflank.protocols.faults import wrong_form as wrong_form

NO_PROBLEM: dict[str, Any] = {"error": None, "fault": None}


class NotFoundError(Fault):
    """What was asked for is not there."""


def reason(fault: Fault) -> str:
    """The same as the reason for which a connection is closed, which has room for 123 bytes."""
    return json.dumps(told(fault), separators=(",", ":"))
