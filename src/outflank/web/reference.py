"""The server's interface for other programs: the table of requests in docs/api.md, and the types of `outflank.client`.

Both are generated from the OpenAPI description. `python -m outflank.web.reference` writes them; a test fails when they
are out of date.
"""

from pathlib import Path
from typing import Any

from outflank.web.types import description, schemas

ROOM = Path(__file__).resolve().parent.parent
TYPES = ROOM / "client" / "types.py"
PAGE = ROOM.parent.parent / "docs" / "api.md"
MARK, END = "## Requests\n", "\nNext: "
"""What stands before and after them in the document is written by hand."""
HEAD = '''"""What the server takes and tells: made from its models by `python -m outflank.web.reference`."""

from typing import Any, Literal, NotRequired, TypedDict
'''
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LEFT_OUT = ("HTTPValidationError", "ValidationError")
"""What FastAPI would say of a wrong form: our server says `Problem`."""


# Types


def declarations() -> str:
    """The module: aliases last, since they name what must be there."""
    found = sorted((name, schema) for name, schema in schemas().items() if name not in LEFT_OUT)
    classes = [_declared(name, schema) for name, schema in found if "properties" in schema]
    aliases = [f"{name} = {_plain(schema)}\n" for name, schema in found if "properties" not in schema]
    return HEAD + "".join(f"\n\n{one}" for one in [*classes, "".join(aliases)])


def _declared(name: str, schema: dict[str, Any]) -> str:
    fields = [_field(key, field, key in schema.get("required", ())) for key, field in schema["properties"].items()]
    text = " ".join(schema.get("description", "").split())
    comment = f'    """{text}"""\n\n' if text else ""
    return f"class {name}(TypedDict):\n{comment}" + "".join(fields)


def _field(key: str, schema: dict[str, Any], required: bool) -> str:
    kind = _plain(schema)
    kind = f'"{kind}"' if "$ref" in str(schema) else kind  # it may be declared later
    return f"    {key}: {kind if required else f'NotRequired[{kind}]'}\n"


def _plain(schema: dict[str, Any]) -> str:
    """A schema as Python writes it. JSON has lists for tuples."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return f"Literal[{', '.join(repr(one) for one in schema.get('enum', [schema.get('const')]))}]"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(_plain(one) for one in schema[union]))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("prefixItems") or [schema.get("items", {})]
        return f"list[{' | '.join(dict.fromkeys(_plain(one) for one in items))}]"
    if kind == "object":
        values = schema.get("additionalProperties", {})
        keys = _plain({"type": "string", **schema.get("propertyNames", {})})
        return f"dict[{keys}, {_plain(values) if isinstance(values, dict) else 'Any'}]"
    return SIMPLE.get(str(kind), "Any")


# The document


def page(text: str) -> str:
    """The document with its table of requests as it should be."""
    before, _, rest = text.partition(MARK)
    return before + MARK + _requests() + END + rest.partition(END)[2]


def _requests() -> str:
    """A line for each request: what it does, what it takes, and the type of its answer."""
    rows = ["", "| request | what it does | takes | answers |", "|---|---|---|---|"]
    for path, methods in description()["paths"].items():
        for method, asked in methods.items():
            does = " ".join(asked.get("description", "").split()).replace("|", "\\|")
            rows.append(f"| `{method.upper()} {path}` | {does} | {_taken(asked)} | {_answered(asked)} |")
    return "\n".join([*rows, ""])


def _taken(asked: dict[str, Any]) -> str:
    """What a request takes beside its path."""
    query = [f"`{given['name']}`" for given in asked.get("parameters", []) if given["in"] == "query"]
    body = asked.get("requestBody", {}).get("content", {})
    shapes = [_shown(one["schema"]) if kind == "application/json" else "bytes" for kind, one in body.items()]
    return ", ".join([*query, *shapes])


def _answered(asked: dict[str, Any]) -> str:
    answer = next(answer for status, answer in asked["responses"].items() if status.startswith("2"))
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    return _shown(schema) if schema else ""


def _shown(schema: dict[str, Any]) -> str:
    """A type as Python writes it, one name after the other where there are several."""
    return " or ".join(f"`{name}`" for name in _plain(schema).split(" | "))


if __name__ == "__main__":
    TYPES.write_text(declarations(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
