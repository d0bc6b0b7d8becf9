"""The page of a report: its numbers are those of the tables, and its games are the games that were played."""

import base64
import gzip
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.arena.contest import Conditions, Player
from outflank.arena.match import Match
from outflank.arena.openings import openings_named
from outflank.arena.report import data
from outflank.arena.report import judge as judging
from outflank.arena.report.data import Contents, contents, game_detail, overview
from outflank.arena.report.judge import JudgeSpec
from outflank.arena.store import Store
from outflank.arena.tournament import Plan, Tournament
from outflank.board.game import Game
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.cli.report import report
from outflank.library.judging import GameValues, Judge
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit, Report
from outflank.web import report as report_file
from outflank.web.report import GAMES_A_CHUNK, page
from outflank.web.schemas import GameDetail, ReportOut
from outflank.work.workers import Here

BLACK, WHITE = Color
PAGE = Path(report_file.__file__).parent / "page"
SIX = Variant.named("reversed-6x6")
NAMES = ["greedy", "random", "alphabeta:depth=1", "quitter:</script><b>"]
FAST = JudgeSpec("alphabeta:depth=2", 8)


class Quitter(Agent):
    """Plays its first moves, then fails."""

    def __init__(self, target: str = "") -> None:
        pass

    def choose(self, game: Game, limit: Limit) -> Report:
        if len(game.moves) > 12:
            raise ValueError("<i>no</i> more")
        return Report(game.position.legal_moves[0], score=float("inf"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament on a small board, with passes, forfeits and a hostile name; and a match after it."""
    path = tmp_path_factory.mktemp("report") / "games.db"
    with pytest.MonkeyPatch.context() as patch, Store(path) as kept, Here() as runner:
        patch.setitem(ROSTER, "quitter", Entry("quitter", "Tests.", Quitter, target="word"))
        openings = openings_named("random:4", SIX, 1)
        conditions = Conditions(SIX, Limit(), openings.name, 1)
        plan = Plan(tuple(map(Player.named, NAMES)), games=6, anchor=Player("random"))
        Tournament(plan, conditions, openings, kept).play(runner)
        Match("greedy", "random", 4, conditions, openings, kept).play(runner)
    return path


@pytest.fixture(scope="module")
def gathered(store: Path) -> Contents:
    with Store.existing(store) as kept:
        return contents(kept, kept.events()[0], FAST)


class Reader(html.parser.HTMLParser):
    """Collects what a page would load, and its data."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.data: dict[str, str] = {}
        self.errors: list[str] = []
        self._id = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.loads += [
            value for key, value in attributes if key in ("src", "href", "action") and value and value[0] != "#"
        ]
        self._id = found.get("id") or "" if tag == "script" and found.get("type") == "application/gzip" else ""
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.errors.append(tag)
        self._id = ""

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, text: str) -> None:
        if self._id:
            self.data[self._id] = self.data.get(self._id, "") + text

    def part(self, name: str) -> Any:
        return json.loads(gzip.decompress(base64.b64decode(self.data[f"data-{name}"])))


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def modules(text: str) -> dict[str, str]:
    """The texts of the modules within a page."""
    mapped = re.search(r'<script type="importmap">(.*?)</script>', text, re.DOTALL)
    assert mapped is not None
    imports: dict[str, str] = json.loads(mapped[1])["imports"]
    return {name: base64.b64decode(address.partition(",")[2]).decode() for name, address in imports.items()}


def test_every_module_that_is_imported_is_in_the_file(gathered: Contents) -> None:
    """As the page has it, but for the addresses: those of the page are relative, those of the file are names."""
    found = modules(page(gathered))
    for name, text in found.items():
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert set(re.findall(r'(?:from |import |import\()"([^"]+)"', code)) <= found.keys()
        own = (PAGE / name).read_text()
        assert own.replace('"./', '"') == text.replace('"./', '"')


def test_the_page_is_whole_and_loads_nothing(gathered: Contents) -> None:
    text = page(gathered)
    reader = read(text)
    assert modules(text).keys() >= {"report.js", "rules.js", "board.js", "graph.js", "texts.zh.js"}
    assert "api.js" not in modules(text), "there is no server to ask"
    assert reader.errors == []
    assert reader.open == []
    assert reader.loads == []
    for part in (text, *modules(text).values()):
        assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttp|WebSocket|https?://(?!www\.w3\.org/2000/svg)", part)
    assert "default-src 'none'" in text
    assert reader.part("summary")["games_a_chunk"] == GAMES_A_CHUNK
    assert {**reader.part("games"), "id": gathered.games["id"]} == json.loads(json.dumps(gathered.games))
    assert reader.part("details-0") == json.loads(json.dumps(gathered.details))
    assert "<b>" not in text, "a player's name is data, not markup"


def test_curves_of_many_players_need_no_table_of_all_pairs(store: Path) -> None:
    with Store.existing(store) as kept:
        game = next(iter(kept.games(kept.events()[0].contest)))
    players = [Player(f"player {number}", "") for number in range(2000)]
    games = [replace(game, at=replace(game.at, first=one, second=other)) for one, other in pairwise(players)]
    tracemalloc.start()
    try:
        found = data._progress(games, {player: number for number, player in enumerate(players)}, None)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [len(found["ratings"]), len(found["ratings"][0])] == [2000, data.CHECKPOINTS]
    assert most < 8 * 2000 * 2000 / 2


def test_its_numbers_are_those_of_the_table(store: Path, gathered: Contents) -> None:
    with Store.existing(store) as kept:
        table = Tournament.stored(kept, kept.events()[0]).standings().to_dict()
    summary = gathered.summary
    assert summary["players"] == table["players"]
    assert (summary["games"], summary["scheduled"], summary["anchor"]) == (36, 36, "random")
    count = len(NAMES)
    for first, second, points, games, low, high in summary["cross"]:
        assert [points, games] == table["cross"][first][second]
        assert table["cross"][second][first][0] == games - points
        assert 0 <= low <= points / games <= high <= 1
    assert len(summary["cross"]) == count * (count - 1) // 2
    # The last point of the curves is the table itself.
    assert [curve[-1] for curve in summary["progress"]["ratings"]] == [round(row["rating"]) for row in table["players"]]
    assert summary["progress"]["games"][-1] == 36
    forfeits = sorted(one["reason"] for one in summary["forfeits"])
    assert forfeits == sorted(one["reason"] for one in table["forfeits"])
    assert len(forfeits) == 18
    assert forfeits[0] == "crash: ValueError: <i>no</i> more"
    for number, row in enumerate(table["players"]):
        assert sum(gathered.games[side].count(number) for side in ("black", "white")) == row["games"]
    assert sum(row[2] for row in summary["openings"]) == 36
    assert sum(row[3] for row in summary["openings"]) == gathered.games["winner"].count(0)


def test_every_game_is_there_to_be_replayed(store: Path, gathered: Contents) -> None:
    with Store.existing(store) as kept:
        played = list(kept.games(kept.events()[0].contest))
    assert len(played) == len(gathered.details) == 36
    names = [row["player"] for row in gathered.summary["players"]]
    passes = 0
    for number, (game, detail) in enumerate(zip(played, gathered.details, strict=True)):
        moves, spent, scores, depths, values, best, exact_from, turning = detail
        replay = Game.from_moves(moves, SIX)
        passes += replay.moves.count(PASS)
        assert replay.transcript == game.record.moves
        black, white = gathered.games["black"][number], gathered.games["white"][number]
        sides = (game.at.first.spec, game.at.second.spec)
        assert (names[black], names[white]) == (sides if game.at.first_color is BLACK else sides[::-1])
        assert len(spent) == len(scores) == len(depths) == len(moves) - 4
        assert None in scores or all(isinstance(score, int | float) for score in scores)
        assert len(values) == len(moves) + 1 == len(best) + 1
        outcome = replay.outcome()
        if game.record.result.forfeit is None:
            assert outcome is not None
            assert values[-1] == outcome.score == gathered.games["score"][number]
            assert exact_from <= len(moves)
        else:
            assert values[-1] is None
            assert gathered.games["score"][number] is None
        assert turning is None or turning >= 4, "an opening is nobody's fault"
    assert passes


def test_the_time_of_a_player_is_that_of_its_own_moves(gathered: Contents) -> None:
    """Whoever moves after a pass: the movers are those of the rules, not of counting."""
    for number, row in enumerate(gathered.summary["players"]):
        spent, moves = 0.0, 0
        for at, detail in enumerate(gathered.details):
            line = [node for node in Game.from_moves(detail[0], SIX).line if node.move != PASS]
            for node, one in zip(line[4:], detail[1], strict=True):
                side = "black" if node.mover is BLACK else "white"
                if gathered.games[side][at] == number:
                    spent += one / 1e6
                    moves += 1
        assert spent / moves == pytest.approx(row["seconds_a_move"], rel=0.05)
        assert all(one is None for one in gathered.summary["times"][number][:4])
        assert any(one is not None for one in gathered.summary["times"][number][4:])


def test_its_data_are_those_that_the_page_knows(store: Path, gathered: Contents) -> None:
    """The modules are typed by these models, whether their data come from the server or from the file."""
    with Store.existing(store) as kept:
        overviews = [overview(kept, event) for event in kept.events()]
    assert [one.summary["kind"] for one in overviews] == ["tournament", "match"]
    for one in (gathered, *overviews):
        ReportOut.model_validate({"summary": one.summary, "games": one.games})
    for detail in gathered.details:
        assert json.loads(GameDetail.model_validate(detail).model_dump_json()) == json.loads(json.dumps(detail))


def test_an_overview_says_the_same_without_replaying(store: Path, gathered: Contents) -> None:
    with Store.existing(store) as kept:
        event = kept.events()[0]
        found = overview(kept, event)
        details = [game_detail(kept, event, number) for number in found.games["id"]]
        assert game_detail(kept, event, 10**9) is None
    assert found.details == []
    known = {key for key, value in found.summary.items() if value is not None}
    assert {key: gathered.summary[key] for key in known} == {key: found.summary[key] for key in known}
    assert set(gathered.summary) - known == {"gap", "match", "progress", "times", "values"}
    assert {**found.games, "called": gathered.games["called"]} == gathered.games
    assert details == [[*detail[:4], None, None, None, None] for detail in gathered.details]


# The judge


def test_near_the_end_its_values_are_proven(store: Path, gathered: Contents) -> None:
    solver = Solver(1)
    checked = 0
    for moves, *_, values, best, exact_from, _ in gathered.details:
        line = [Game(SIX).root, *Game.from_moves(moves, SIX).line]
        before = [one.position for one, after in pairwise(line) if after.move != PASS]
        for at in range(exact_from, len(moves)):
            assert before[at].empties <= FAST.solved_from
            exact = solver.solve(before[at])
            assert exact.score is not None
            assert values[at] == (exact.score if before[at].turn is BLACK else -exact.score)
            reply = solver.solve_all(before[at])
            assert reply.values[best[at]] == exact.score
            checked += 1
    assert checked > 50


def test_values_of_a_heuristic_are_turned_into_discs(gathered: Contents) -> None:
    estimates = [
        abs(value) for *_, values, _, exact_from, _ in gathered.details for value in values[:exact_from] if value
    ]
    assert 0.5 < sorted(estimates)[len(estimates) // 2] < 36
    assert max(estimates) <= 36


def test_a_judge_is_asked_once(store: Path, gathered: Contents, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Judge, game: Game) -> GameValues:
        raise AssertionError("asked again")

    monkeypatch.setattr(Judge, "game", refuse)
    with Store.existing(store) as kept:
        again = contents(kept, kept.events()[0], FAST)
        assert again.details == gathered.details
        with pytest.raises(AssertionError, match="asked again"):
            contents(kept, kept.events()[0], JudgeSpec("greedy", 4))


def test_a_judge_that_has_learnt_more_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, plain = JudgeSpec("engine:level=1", 4), JudgeSpec("greedy", 4)
    before = engine.name, plain.name
    assert (engine.name, plain.name) == before
    monkeypatch.setattr(judging, "shipped_digest", lambda: "other weights")
    assert engine.name != before[0], "other weights, other values"
    assert plain.name == before[1]
    monkeypatch.setattr(judging, "__version__", "9.9")
    assert plain.name != before[1]
    file = tmp_path / "mine.py"
    file.write_text((Path(__file__).parent.parent / "examples" / "mine.py").read_text())
    own = JudgeSpec(f"alphabeta:heuristic={file}:edges,depth=1", 4)
    name = own.name
    file.write_text(file.read_text() + "\n# changed\n")
    assert own.name != name


def test_a_judge_whose_file_has_changed_judges_anew(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    code = (
        "from outflank import heuristic\n\n\n@heuristic\ndef mine(own, opp, board):\n    return own % 97 - opp % 97\n"
    )
    judge = JudgeSpec(f"alphabeta:heuristic={file}:mine,depth=1", 4)
    found = []
    with Store.existing(store) as kept:
        for text in (code, code.replace("97", "89")):
            file.write_text(text)
            found.append(contents(kept, kept.events()[-1], judge).details)
    assert [detail[:4] for detail in found[0]] == [detail[:4] for detail in found[1]]
    assert found[0] != found[1]


def test_several_processes_judge_as_one_does(
    store: Path, gathered: Contents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "WORTH_PROCESSES", 2)
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(store)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("DELETE FROM judgements")
        new.commit()
    told: list[tuple[int, int]] = []
    with Store.existing(copy) as kept:
        found = contents(kept, kept.events()[0], FAST, jobs=2, progress=lambda done, left: told.append((done, left)))
    assert found.details == gathered.details
    assert told[-1] == (36, 0)


def test_the_judges_that_can_be_named() -> None:
    assert JudgeSpec.named("none") is None
    fast, deep = JudgeSpec.named("fast"), JudgeSpec.named("deep")
    assert fast is not None and deep is not None
    assert fast.solved_from < deep.solved_from
    assert JudgeSpec.named("alphabeta:depth=6") == JudgeSpec("alphabeta:depth=6", fast.solved_from)
    with pytest.raises(ValueError, match="'nobody' is not an agent"):
        JudgeSpec.named("nobody")


# The command


def test_the_command_writes_the_page(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.html"
    report(str(store), html=str(file), event=1, values="none")
    assert "page.html" in capsys.readouterr().out
    summary = read(file.read_text()).part("summary")
    assert summary["title"] == "Round robin of 4 players"
    assert summary["values"] is None
    assert len(list(tmp_path.iterdir())) == 1
    report(str(store), html=str(file), event=1, values="none", json=True)
    assert json.loads(capsys.readouterr().out)["players"] == summary["players"]


def test_a_match_has_its_headline(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.html"
    report(str(store), html=str(file), values="none")
    summary = read(file.read_text()).part("summary")
    assert summary["title"] == "greedy against random"
    assert summary["match"]["games"] == summary["games"] == 4
    assert sum(summary["match"]["pentanomial"]) == 2
    assert len(summary["players"]) == 2


def test_a_player_that_met_itself_has_a_page_too(tmp_path: Path) -> None:
    with Store(tmp_path / "self.db") as kept, Here() as runner:
        openings = openings_named("random:4", SIX, 1)
        Match("greedy", "greedy", 2, Conditions(SIX, Limit(), openings.name, 1), openings, kept).play(runner)
        found = contents(kept, kept.events()[0])
    assert found.summary["match"]["score"] == 0.5
    assert found.games["black"] == found.games["white"] == [0, 0]
    assert found.summary["cross"] == []


def test_games_of_several_versions_are_said_to_be(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "mixed.db"
    with closing(sqlite3.connect(store)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("UPDATE games SET version = '0.0.1' WHERE id <= 5")
        new.commit()
    report(str(copy), event=1)
    assert "Different versions of Outflank played these games (5 by 0.0.1, " in capsys.readouterr().out
    report(str(store), event=1)
    assert "Different versions" not in capsys.readouterr().out
    with Store.existing(copy) as kept:
        assert contents(kept, kept.events()[0]).summary["versions"]["0.0.1"] == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--html", "."], "is a folder"),
        (["--html", "no/such/folder/page.html"], "no/such/folder"),
        (["--html", "page.html", "--values", "nobody"], "'nobody' is not an agent"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str],
    said: str,
    store: Path,
    tmp_path: Path,
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    values = [] if "--values" in arguments else ["--values", "none"]
    assert said in refused("report", str(store), *arguments, *values)
    assert list(tmp_path.iterdir()) == []


# In a browser

CHROMIUM = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), "")
PROBE = """
<script type="module">
  import { replayed } from "replay.js";
  import { unpacked } from "report.js";
  import { BLACK, WHITE, count, positionFrom, variantNamed } from "rules.js";
  while (!document.documentElement.dataset.ready) await new Promise((done) => setTimeout(done, 20));
  const { variant } = await unpacked("summary"), start = positionFrom(variant.start, variantNamed(variant.name));
  const last = (await unpacked("details-0")).map(([moves]) => replayed(start, moves).at(-1).position);
  const many = (selector) => document.querySelectorAll(selector).length;
  const found = {
    ends: last.map((position) => [count(position, BLACK), count(position, WHITE)]),
    rows: many("#ratings tbody tr"),
    board: many("othello-board .cell:is(.black, .white)"),
    graph: many("value-graph .curve"),
    story: document.querySelector(".story").textContent,
    sections: [...document.querySelectorAll("section")].map((one) => one.id),
    markup: many("td b, td i:not(.shares i)"),
  };
  document.body.className = ""; document.body.textContent = JSON.stringify(found);
</script>
"""


def seen_in_a_browser(contents: Contents, probe: str, tmp_path: Path, address: str = "", size: str = "1200,800") -> Any:
    """What a script in the page leaves of it: JSON in its body."""
    file = tmp_path / "page.html"
    file.write_text(page(contents).replace("</body>", probe + "</body>"))
    options = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    more = f"--disable-component-update --disable-sync --virtual-time-budget=20000 --window-size={size}"
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run(
        [CHROMIUM, *options.split(), *more.split(), profile, "--dump-dom", file.as_uri() + address],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    body = re.search(r'<body class="">(.*)</body>', done.stdout, re.DOTALL)
    assert body, done.stderr
    return json.loads(html.unescape(body[1]))


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")
def test_a_browser_shows_it_from_a_file_and_replays_as_we_do(gathered: Contents, tmp_path: Path) -> None:
    found = seen_in_a_browser(gathered, PROBE, tmp_path, "#game=2&move=5")
    ends = []
    for detail in gathered.details:
        last = Game.from_moves(detail[0], SIX).position
        ends.append([last.count(BLACK), last.count(WHITE)])
    assert found["ends"] == ends
    assert found["rows"] == len(NAMES)
    assert found["board"] == 9, "four discs and five moves"
    assert found["graph"] == 1
    assert found["sections"] == ["ratings", "cross", "progress", "openings", "time", "forfeits", "games"]
    assert "won" in found["story"] or "forfeited" in found["story"] or "draw" in found["story"]
    assert found["markup"] == 0


CLASS_PROBE = """
<script type="module">
  while (!document.documentElement.dataset.ready) await new Promise((done) => setTimeout(done, 20));
  const rows = () => document.querySelectorAll("#ratings tbody tr").length;
  const more = document.querySelector("#ratings .more"), frame = document.querySelector("#ratings .scroll");
  const found = { folded: rows(), scrolls: frame.scrollHeight > frame.clientHeight + 1, says: more.textContent };
  more.click();
  frame.scrollTop = 500;
  const head = frame.querySelector("th").getBoundingClientRect(), box = frame.getBoundingClientRect();
  Object.assign(found, {
    open: rows(),
    head: Math.abs(head.top - box.top) < 3,
    moved: frame.scrollTop,
    fits: frame.clientHeight < innerHeight,
    wide: document.documentElement.scrollWidth - innerWidth,
    back: more.textContent,
  });
  document.body.className = ""; document.body.textContent = JSON.stringify(found);
</script>
"""


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")
@pytest.mark.parametrize("size", ["1200,800", "500,800"])
def test_the_ratings_of_a_class_fold_and_scroll_beneath_their_head(
    size: str, gathered: Contents, tmp_path: Path
) -> None:
    players = [
        {**gathered.summary["players"][number % 4], "player": f"alphabeta:heuristic=combined,depth=2,openings={number}"}
        for number in range(208)
    ]
    progress = {**gathered.summary["progress"], "ratings": gathered.summary["progress"]["ratings"] * 52}
    times = gathered.summary["times"] * 52
    many = replace(gathered, summary={**gathered.summary, "players": players, "progress": progress, "times": times})
    found = seen_in_a_browser(many, CLASS_PROBE, tmp_path, size=size)
    assert (found["folded"], found["scrolls"], found["says"]) == (20, False, "Show all 208")
    assert (found["open"], found["back"]) == (208, "Show the first 20")
    assert found["head"] and found["moved"] == 500, "the head stays where it is while the rows go by"
    assert found["fits"]
    assert found["wide"] <= 0, "nothing is wider than the screen"
