"""The interface for people who write programs: the list of requests in docs/api.md, and the types of `outflank.client`.

Both are made from the OpenAPI description. `python -m outflank.web.reference` writes them anew; a test says when that
is due.
"""

from pathlib import Path
from typing import Any

from outflank.web.types import description, schemas

ROOM = Path(__file__).resolve().parent.parent
TYPES = ROOM / "client" / "types.py"
PAGE = ROOM.parent.parent / "docs" / "api.md"
MARK = "## Requests\n"
"""What stands before it in the document is written by hand."""
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
    """The document with its list of requests as it should be."""
    return text.partition(MARK)[0] + MARK + _requests() + _shapes()


def _requests() -> str:
    found = description()["paths"]
    parts = []
    for path, methods in found.items():
        for method, asked in methods.items():
            parts.append(
                f"\n### `{method.upper()} {path}`\n\n{_sentence(asked.get('description', ''))}\n" + _rows(asked)
            )
    return "".join(parts)


def _rows(asked: dict[str, Any]) -> str:
    rows = []
    for given in asked.get("parameters", []):
        schema = given["schema"]
        rows.append(f"| `{given['name']}` in the {given['in']} | {_shown(schema)}{_bounds(schema)} |")
    for kind, body in asked.get("requestBody", {}).get("content", {}).items():
        shape = _shown(body["schema"]) if kind == "application/json" else f"bytes, as `{kind}`"
        rows.append(f"| body | {shape} |")
    for status, answer in asked["responses"].items():
        if status.startswith("2"):
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            rows.append(f"| answer {status} | {_shown(schema) if schema else 'nothing'} |")
    return "\n| | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _shapes() -> str:
    parts = ["\n## Types\n\nA field with `?` may be left out.\n"]
    for name, schema in sorted(schemas().items()):
        if name in LEFT_OUT:
            continue
        text = _sentence(schema.get("description", ""))
        parts.append(f"\n### {name}\n\n" + (f"{text}\n\n" if text else ""))
        if "properties" not in schema:
            parts.append(f"{_shown(schema)}\n")
            continue
        parts.append("| field | |\n|---|---|\n")
        for key, field in schema["properties"].items():
            mark = "" if key in schema.get("required", ()) else "?"
            note = _sentence(field.get("description", ""))
            parts.append(f"| `{key}`{mark} | {_shown(field)}{_bounds(field)}{f'. {note}' if note else ''} |\n")
    return "".join(parts)


def _sentence(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _shown(schema: dict[str, Any]) -> str:
    """A type for readers: names lead to their own place."""
    if "$ref" in schema:
        name = str(schema["$ref"].rpartition("/")[2])
        return f"[{name}](#{name.lower()})"
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(dict.fromkeys(_shown(one) for one in schema[union]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"a list: {'; '.join(_shown(one) for one in schema['prefixItems'])}"
        return f"a list of {_shown(schema.get('items', {}))}"
    if kind == "object":
        values = schema.get("additionalProperties", {})
        keys = _shown(schema["propertyNames"]) if "enum" in schema.get("propertyNames", {}) else "names"
        return f"an object of {keys} to {_shown(values) if isinstance(values, dict) else 'anything'}"
    words = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "null": "null",
    }
    return words.get(str(kind), "anything")


BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {}",
}


def _bounds(schema: dict[str, Any]) -> str:
    """What limits a value, and what it is where it is left out."""
    found = [schema, *schema.get("anyOf", [])]
    said = [words.format(f"{one[key]:,}") for one in found for key, words in BOUNDS.items() if key in one]
    if schema.get("default") not in (None, "", {}, []):
        said.append(f"by itself `{schema['default']}`")
    return f"; {', '.join(said)}" if said else ""


if __name__ == "__main__":
    TYPES.write_text(declarations(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
