"""The types of the page's modules: `types.d.ts`, generated from the OpenAPI description of the server.

`python -m outflank.web.types` writes the file; a test fails when it is out of date.
"""

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from outflank.web.app import PARTS
from outflank.web.messages import Message
from outflank.web.schemas import Company, Hints, NewGame, Thinking

FILE = Path(__file__).with_name("types.d.ts")
HEAD = "// What the server takes and tells. Made from its models by `python -m outflank.web.types`: change those.\n"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations() -> str:
    """The file."""
    return HEAD + "".join(f"\n{_declared(name, schema)}" for name, schema in sorted(schemas().items()))


def description() -> dict[str, Any]:
    """The OpenAPI description."""
    app = FastAPI()
    for part in PARTS:
        app.include_router(part.router)
    return app.openapi()


def schemas() -> dict[str, Any]:
    """Those of the description, and those of the board's WebSocket, of which OpenAPI knows nothing."""
    found: dict[str, Any] = dict(description()["components"]["schemas"])
    told = [(kind, "serialization") for kind in (Company, Hints, Thinking)]
    for kind, mode in (*told, (NewGame, "validation"), (Message, "validation")):
        schema = TypeAdapter(kind).json_schema(mode=mode, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
        found |= schema.pop("$defs", {})
        found[schema.pop("title", "Message")] = schema
    return found


def _declared(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"{_comment(schema)}export type {name} = {_type(schema)};\n"
    fields = "".join(
        _comment(field, "  ") + f"  {key}{'' if key in schema.get('required', ()) else '?'}: {_type(field)};\n"
        for key, field in schema["properties"].items()
    )
    return f"{_comment(schema)}export interface {name} {{\n{fields}}}\n"


def _comment(schema: dict[str, Any], indent: str = "") -> str:
    return f"{indent}/** {' '.join(schema['description'].split())} */\n" if "description" in schema else ""


def _type(schema: dict[str, Any]) -> str:
    """A schema as TypeScript writes it."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value).lower() for value in values)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(_type(one) for one in schema[union]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
        item = _type(schema.get("items", {}))
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        values = schema.get("additionalProperties", {})
        keys = _type({"type": "string", **schema.get("propertyNames", {})})
        return f"Record<{keys}, {_type(values) if isinstance(values, dict) else 'unknown'}>"
    return SIMPLE.get(str(kind), "unknown")


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
