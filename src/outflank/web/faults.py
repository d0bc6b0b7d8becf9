"""An error as the page is told it: the English in one line, and its code for the page's own language."""

import json
import re
from typing import Any

from outflank.errors import Fault

FORMS = {
    "less_than_equal": "form.at-most",
    "greater_than_equal": "form.at-least",
    "less_than": "form.less",
    "greater_than": "form.more",
    "int_type": "form.integer",
    "float_type": "form.number",
    "string_type": "form.string",
    "bool_type": "form.boolean",
    "list_type": "form.list",
    "dict_type": "form.dictionary",
    "finite_number": "form.finite",
    "literal_error": "form.choice",
    "enum": "form.choice",
    "string_too_long": "form.too-long",
    "string_too_short": "form.too-short",
    "too_long": "form.too-many",
    "missing": "form.missing",
    "extra_forbidden": "form.unknown",
}
"""Codes for pydantic's kinds of errors; the parameters are named as pydantic names them."""

NO_PROBLEM: dict[str, Any] = {"error": None, "fault": None}


class NotFoundError(Fault):
    """What was asked for is not there."""


def told(error: BaseException) -> dict[str, Any]:
    """What `Problem` and every message of an error hold."""
    return {"error": _tidy(str(error)) or type(error).__name__, "fault": _coded(error)}


def reason(fault: Fault) -> str:
    """The same as the reason for which a connection is closed, which has room for 123 bytes."""
    return json.dumps(told(fault), separators=(",", ":"))


def wrong_form(errors: object) -> Fault:
    """The first of pydantic's errors: where, and what."""
    first = errors[0] if isinstance(errors, list | tuple) and errors else {}
    where = ".".join(str(part) for part in first.get("loc", ()) if part != "body")[:80]
    code = FORMS.get(first.get("type", ""))
    what: object = " ".join(str(first.get("msg", "it cannot be read"))[:200].split())
    if code is not None:
        what = Fault(code, **{name: _whole(value) for name, value in first.get("ctx", {}).items()})
    return Fault("form.wrong", where=where, why=what) if where else Fault("form.wrong-all", why=what)


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _coded(error: object) -> dict[str, Any] | None:
    if not isinstance(error, Fault):
        return None
    params = error.shown()
    return {
        "code": error.code,
        "params": {name: _tidy(value) if isinstance(value, str) else _coded(value) for name, value in params.items()},
    }


def _tidy(text: str) -> str:
    return without_folders(" ".join(text.split()))[:300]


def without_folders(text: str) -> str:
    """The text with only the last part of every path in it."""
    return re.sub(r"(?:[^\s,:=\"'/]*/)+(?=[^\s,:=\"'/]*[A-Za-z])", "", text)
