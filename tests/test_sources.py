"""What machine code is made of is found in the text of the sources, as Python's own parser finds it."""

import ast
from pathlib import Path

import pytest

from outflank.board import compiled
from outflank.board.sources import WHOLE, Sources

PACKAGE = Path(compiled.__file__).parent.parent


def parsed_imports(sources: Sources, module: str) -> dict[str, set[str]]:
    """The naive twin of `imports`: by Python's parser, without what only a type checker imports."""
    found: dict[str, set[str]] = {}
    package = module if sources.files[module].name == "__init__.py" else module.rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(sources.text(module))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name in sources.files:
                    found.setdefault(name.name, set()).add(WHOLE)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for name in node.names:
                if f"{base}.{name.name}" in sources.files:
                    found.setdefault(f"{base}.{name.name}", set()).add(WHOLE)
                elif base in sources.files:
                    found.setdefault(base, set()).add(name.name)
    return found


def test_no_import_of_the_package_is_missed() -> None:
    sources = Sources(PACKAGE)
    assert len(sources.files) > 200
    for module in sources.files:
        found = sources.imports(module)
        for imported, names in parsed_imports(sources, module).items():
            assert names <= found.get(imported, set()), module


def test_kernels_reach_what_python_s_parser_says_and_no_more() -> None:
    """Imports that a docstring shows would be one too many: none does in what kernels reach."""
    sources = Sources(PACKAGE)
    reached = sources.reached_from(sources.users(compiled.__name__, ["kernel", "callback", "inline", "instruction"]))
    for module in reached:
        assert sources.imports(module) == parsed_imports(sources, module), module
    assert {"outflank.board.squares", "outflank.patterns.shapes", "outflank.patterns.guides"} <= set(reached)


FORMS = {
    "from toy.room import far": {"toy.room.far": {WHOLE}},
    "from toy.room import far as near, other": {"toy.room.far": {WHOLE}, "toy.room": {"other"}},
    "from toy.room.far import VALUE, OTHER as ANOTHER": {"toy.room.far": {"VALUE", "OTHER"}},
    "from toy.room.far import *": {"toy.room.far": {"*"}},
    "from toy.room.far import (  # two (of them)\n    VALUE,  # one)\n    OTHER,\n)": {
        "toy.room.far": {"VALUE", "OTHER"}
    },
    "from toy.room.far import(VALUE)": {"toy.room.far": {"VALUE"}},
    "from toy.room.far import VALUE, \\\n    OTHER": {"toy.room.far": {"VALUE", "OTHER"}},
    "import toy.room.far": {"toy.room.far": {WHOLE}},
    "import os, toy.room.far as far, toy": {"toy.room.far": {WHOLE}, "toy": {WHOLE}},
    "def late():\n    from toy.room.far import VALUE\n": {"toy.room.far": {"VALUE"}},
    "try:\n\timport toy.room.far\nexcept ImportError:\n\tpass\n": {"toy.room.far": {WHOLE}},
    "from . import near": {"toy.hall.near": {WHOLE}},
    "from .near import VALUE": {"toy.hall.near": {"VALUE"}},
    "from .. import VERSION": {"toy": {"VERSION"}},
    "from ..room import far": {"toy.room.far": {WHOLE}},
    "from ..room.far import VALUE": {"toy.room.far": {"VALUE"}},
    "import os\nfrom pathlib import Path": {},
    "# from toy.room import far": {},
    "if TYPE_CHECKING:\n    from toy.room import far\n\n    import toy\nimport toy.hall.near\n": {
        "toy.hall.near": {WHOLE}
    },
}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A package of two rooms."""
    for name in ("__init__", "room/__init__", "room/far", "hall/__init__", "hall/near", "hall/asking"):
        file = tmp_path / "toy" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    return tmp_path / "toy"


@pytest.mark.parametrize("text", FORMS)
def test_every_form_of_an_import_is_understood(text: str, toy: Path) -> None:
    (toy / "hall" / "asking.py").write_text(text)
    sources = Sources(toy)
    assert sources.imports("toy.hall.asking") == FORMS[text]
    assert parsed_imports(sources, "toy.hall.asking") == FORMS[text]


def test_a_room_s_own_file_imports_from_that_room(toy: Path) -> None:
    (toy / "hall" / "__init__.py").write_text("from .near import VALUE\n")
    assert Sources(toy).imports("toy.hall") == {"toy.hall.near": {"VALUE"}}


def test_what_is_reached_includes_what_others_import_even_in_a_circle(toy: Path) -> None:
    (toy / "hall" / "asking.py").write_text("from toy.hall.near import VALUE\n")
    (toy / "hall" / "near.py").write_text("def late():\n    from toy.room import far\n")
    (toy / "room" / "far.py").write_text("import toy.hall.asking\n")
    sources = Sources(toy)
    assert sources.reached_from(["toy.hall.asking"]) == ["toy.hall.asking", "toy.hall.near", "toy.room.far"]


def test_users_of_a_name_take_it_from_the_module_or_from_the_whole_module(toy: Path) -> None:
    (toy / "hall" / "asking.py").write_text("from toy.room.far import VALUE\n")
    (toy / "hall" / "near.py").write_text("from toy.room import far\nprint(far.VALUE)\n")
    (toy / "hall" / "__init__.py").write_text("from toy.room.far import OTHER\nprint(OTHER.VALUE)\n")
    (toy / "__init__.py").write_text("from toy.room import far\nprint(far.OTHER)\n")
    assert Sources(toy).users("toy.room.far", ["VALUE"]) == ["toy.hall.asking", "toy.hall.near"]
