"""`outflank bench signature`: no search is altered unseen, and the signature depends on nothing but the searches."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from outflank.agents.roster import ROSTER
from outflank.agents.simple import GreedyPlayer
from outflank.agents.spec import parse
from outflank.bench import signature
from outflank.bench.signature import GROUPS, Search, Summary, differing, summary, take, total
from outflank.board.game import Game
from outflank.board.variant import Variant
from outflank.cli.main import app
from outflank.search.limits import Limit, Report

SEARCHES = [search for searches in signature.SEARCHES.values() for search in searches]
SMALL = ("simple", "trees")


def digests(names: tuple[str, ...] = SMALL) -> dict[str, str]:
    return {name: summary(lines).digest for name, lines in take({name: GROUPS[name] for name in names}).items()}


def test_every_search_is_as_it_was_recorded(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    shown = CliRunner().invoke(app, ["bench", "signature", "--json", "--lines", str(file)])
    data = json.loads(shown.output)
    assert data["differing"] == [], "searches were altered: docs/engine.md says how to see which, and what to do"
    assert shown.exit_code == 0
    known = json.loads(signature.RECORDED.read_text())
    assert (data["groups"], data["total"]) == (known["groups"], known["total"])
    assert set(data["groups"]) == set(GROUPS)
    lines = file.read_text().splitlines()
    assert len(lines) == len(set(lines)) == data["total"]["lines"]
    assert (
        signature.digest_of(line for line in lines if line.startswith("solver: "))
        == known["groups"]["solver"]["digest"]
    )


def test_every_player_is_asked() -> None:
    asked = {parse(search.what).name for search in SEARCHES if search.how not in ("solve", "follow")}
    assert asked == set(ROSTER) - {"human", "gtp", "nboard", "py", "puct"}


def test_no_search_depends_on_time_or_threads() -> None:
    specs = [parse(search.what) for search in SEARCHES if search.how not in ("solve", "follow")]
    assert all(spec.limit.time is None and dict(spec.options).get("threads", 1) == 1 for spec in specs)


def test_boards_and_objectives_are_many() -> None:
    variants = {Variant.named(search.variant) for search in SEARCHES}
    boards = {(variant.rows, variant.columns, variant.objective) for variant in variants}
    both = {(rows, columns, one) for rows, columns in ((8, 8), (6, 6), (5, 6), (5, 7)) for one in ("most", "fewest")}
    assert boards == {*both, (4, 4, "most")}


def test_another_player_of_one_name_alters_its_group_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def last(_player: GreedyPlayer, game: Game, _limit: Limit) -> Report:
        return Report(game.position.legal_moves[-1])

    before = digests()
    monkeypatch.setattr(GreedyPlayer, "choose", last)
    after = digests()
    assert after["simple"] != before["simple"] and after["trees"] == before["trees"]
    shown = CliRunner().invoke(app, ["bench", "signature", *SMALL])
    assert shown.exit_code == 1
    assert [line.split()[0] for line in shown.output.splitlines() if "not as recorded" in line] == ["simple"]
    assert "other than recorded: simple." in shown.output and "--lines" in shown.output and "--record" in shown.output


@pytest.mark.parametrize(
    "other",
    [{"seed": 4}, {"what": "mcts:playouts=301"}, {"what": "mcts:reward=margin,playouts=300"}, {"variant": "reversed"}],
    ids=str,
)
def test_another_search_has_another_line(other: dict[str, object]) -> None:
    """What the search found differs, not only what it was asked."""
    search = Search("move", "mcts:playouts=300", "othello", 30, 3)
    position = search.position()

    def found(one: Search) -> Report:
        place = replace(position, variant=Variant.named(one.variant))
        return replace(next(signature._played(one, place)), seconds=0.0)

    assert found(search) == found(search)
    assert found(replace(search, **other)) != found(search)  # type: ignore[arg-type]


def test_a_position_follows_from_its_search_alone() -> None:
    search = Search("move", "random", "5x7", 12, 1)
    assert search.position() == search.position() != replace(search, seed=2).position()
    assert search.position().empties == 12 and search.position().legal_moves
    assert Search("move", "random", "4x4", 40).position().empties == 10


@pytest.mark.slow
def test_another_process_finds_the_same() -> None:
    for hashes in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "outflank", "bench", "signature", *SMALL, "--json"],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            capture_output=True,
            text=True,
        )
        found = json.loads(done.stdout)["groups"]
        assert {name: one["digest"] for name, one in found.items()} == digests(), done.stderr


def test_the_order_of_searches_does_not_matter() -> None:
    some = signature.SEARCHES["engine"][::9]
    lines = [line.text for line in signature._searched("engine", some)]
    assert [line.text for line in signature._searched("engine", some[::-1])] == lines[::-1]


def test_what_is_recorded_is_read_again(tmp_path: Path) -> None:
    groups = {"one": Summary(1, 2, "ab"), "two": Summary(3, 4, "cd")}
    signature.record(groups, tmp_path / "signature.json")
    known = signature.recorded(tmp_path / "signature.json")
    assert known == groups and differing(groups, known) == []
    changed = {**groups, "two": Summary(3, 5, "cd"), "three": Summary(0, 0, "")}
    assert differing(changed, known) == ["two", "three"]
    assert total(groups).lines == 4 and total(groups).nodes == 6
    assert total(groups).digest != total({**groups, "two": Summary(3, 4, "ce")}).digest


def test_the_command_records_only_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "signature.json"
    monkeypatch.setattr(signature, "RECORDED", file)
    one = partial(signature._searched, "simple", signature.SEARCHES["simple"][:2])
    monkeypatch.setattr(signature, "GROUPS", {"simple": one, "trees": partial(signature._searched, "trees", ())})
    refused = CliRunner().invoke(app, ["bench", "signature", "simple", "--record"])
    assert isinstance(refused.exception, ValueError) and not file.exists()
    unknown = CliRunner().invoke(app, ["bench", "signature", "nothing"])
    assert "the groups are simple, trees" in str(unknown.exception)
    kept = CliRunner().invoke(app, ["bench", "signature", "--record"])
    assert kept.exit_code == 0 and "as recorded" in kept.output
    assert signature.recorded(file)["simple"].lines == 2
