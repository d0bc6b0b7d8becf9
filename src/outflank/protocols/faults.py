"""An error as data for other programs: one line of English, and the code for those with texts of their own."""

import re
from typing import Any

from outflank.errors import Fault

FORMS = {
    "less_than_equal": "form.at-most",
    "greater_than_equal": "form.at-least",
    "less_than": "form.less",
    "greater_than": "form.more",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "form.integer"),
    **dict.fromkeys(("float_type", "float_parsing"), "form.number"),
    "string_type": "form.string",
    **dict.fromkeys(("bool_type", "bool_parsing"), "form.boolean"),
    **dict.fromkeys(("list_type", "tuple_type"), "form.list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type", "dataclass_type"), "form.dictionary"),
    "finite_number": "form.finite",
    "literal_error": "form.choice",
    "union_tag_invalid": "form.choice",
    "union_tag_not_found": "form.missing",
    "string_too_long": "form.too-long",
    "string_too_short": "form.too-short",
    "too_long": "form.too-many",
    "too_short": "form.too-few",
    "missing": "form.missing",
    "extra_forbidden": "form.unknown",
    "json_invalid": "form.json",
}
"""Codes for pydantic's kinds of errors; the parameters are named as pydantic names them."""


def told(error: BaseException) -> dict[str, Any]:
    """What `Problem` and every message of an error hold."""
    return {"error": _tidy(str(error)) or type(error).__name__, "fault": _coded(error)}


def wrong_form(errors: object) -> Fault:
    """The first of pydantic's errors: where, and what."""
    first = errors[0] if isinstance(errors, list | tuple) and errors else {}
    context = {name.removesuffix("_tags"): value for name, value in first.get("ctx", {}).items()}
    tag = [context.pop("discriminator").strip("'")] if "discriminator" in context else []
    place = () if first.get("type") == "json_invalid" else (*first.get("loc", ()), *tag)  # not an offset in the text
    where = ".".join(str(part) for part in place if part != "body")[:80]
    code = FORMS.get(first.get("type", ""))
    if code is not None:
        what = Fault(code, **{name: _whole(value) for name, value in context.items()})
    else:
        what = Fault("form.unread", why=" ".join(str(first.get("msg", "no reason given"))[:200].split()))
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
