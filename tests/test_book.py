"""Books: what follows from their positions, how they grow, and who plays by them."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import outflank
from outflank import Game, Position, Variant, build_library
from outflank.agents.spec import agent
from outflank.board.squares import PASS, Color, square_name
from outflank.cli.main import app
from outflank.library.book import file, growing, verifying
from outflank.library.book.book import DOUBT, Book, Entry, Worth, followings
from outflank.library.games import Library
from outflank.patterns.weights import shipped_digest
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit
from outflank.work.kept import Kept
from outflank.work.stop import Stop
from outflank.work.workers import Here

SIX = Variant.named("6x6")
SMALL = ("--variant", "6x6", "--level", "10", "--positions", "40")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["book", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "six.book"
    told("build", *SMALL, "--jobs", "1", "--out", str(path))
    return path


def naive_worth(book: Book, position: Position) -> Worth:
    """What a position of the book is worth, looked for in every symmetric form of every position after it."""
    entry = book.entries[book.key(position)]
    smallest = Position(*book.key(position), variant=book.variant)
    forms = {
        book.variant.mirrored(square, which): value
        for square, value in entry.moves
        for which in book.variant.symmetries
        if (smallest.symmetry(which).own, smallest.symmetry(which).opp) == (position.own, position.opp)
    }
    each = []
    for move in position.legal_moves:
        after, sign = position.play(move), -1
        if after.must_pass:
            after, sign = after.play(PASS), 1
        if book.key(after) in book.entries:
            value, lower, upper = naive_worth(book, after)
            each.append(Worth(value, lower, upper) if sign > 0 else Worth(-value, -upper, -lower))
        elif move in forms:
            doubt = 0 if entry.exact else DOUBT
            each.append(Worth(forms[move], forms[move] - doubt, forms[move] + doubt))
    return Worth(max(one.value for one in each), max(one.lower for one in each), max(one.upper for one in each))


def test_values_go_back_through_every_order_of_moves(six: Path) -> None:
    book = file.load(str(six))
    assert len(book.entries) == 40
    for key in book.entries:
        position = Position(*key, variant=SIX)
        assert book.worths[key] == naive_worth(book, position)
        for which in SIX.symmetries:
            turned = position.symmetry(which)
            assert book.worth(turned) == book.worths[key]
            values = {SIX.mirrored(each.move, which): each.worth for each in book.moves(position)}
            assert {each.move: each.worth for each in book.moves(turned)} == values


def test_a_followed_move_has_the_value_of_what_follows() -> None:
    """A move that a search held to be best is refuted by what comes after it."""
    start = Position.start(SIX)
    first = start.legal_moves[0]
    after = start.play(first)
    empty = Book(SIX, {})
    replies = after.legal_moves
    entries = {
        empty.key(start): Entry(10, False, ((start.canonical().legal_moves[0], 4),)),
        empty.key(after): Entry(10, False, tuple((square, 9) for square in after.canonical().legal_moves)),
    }
    book = Book(SIX, entries)
    assert book.worth(start) == Worth(-9, -9 - DOUBT, -9 + DOUBT)
    assert [each.worth.value for each in book.moves(after)] == [9] * len(replies)
    assert book.moves(start)[0].followed
    assert not book.moves(after)[0].followed
    assert book.line(start)[0] == first


def test_of_equal_moves_the_positions_own_search_decides() -> None:
    key = Book(SIX, {}).key(Position.start(SIX).play(Position.start(SIX).legal_moves[0]))
    first, second = followings(SIX, key)[:2]
    replies = {each.after: Entry(10, False, ((followings(SIX, each.after)[0].square, 5),)) for each in (first, second)}
    for better in (first, second):
        own = sorted([(first.square, 1), (second.square, 1)], key=lambda one: one[0] != better.square)
        entry = Entry(10, False, ((own[0][0], 3), own[1]))
        moves = Book(SIX, {key: entry, **replies}).moves(Position(*key, variant=SIX))
        assert [each.worth.value for each in moves] == [-5, -5]
        assert moves[0].move == better.square


@pytest.mark.parametrize(
    ("worth", "drawn"),
    [(Worth(0, 0, 0), True), (Worth(1, -2, 4), None), (Worth(5, 2, 8), False), (Worth(-4, -6, -1), False)],
)
def test_a_draw_is_known_open_or_out_of_reach(worth: Worth, drawn: bool | None) -> None:
    assert worth.drawn is drawn


def test_what_is_left_out_is_no_better_than_what_is_there(tmp_path: Path) -> None:
    """Pruning changes no value, and of the moves far from the best one stays."""
    plan = growing.Plan(SIX, 10, 12)
    with Kept(tmp_path / "kept", plan.settings) as kept, Here() as workers:
        pruned = growing.Grower(plan, kept).grown(30, workers, Stop(), lambda state: None)
        answers = kept.holding()
    whole = Book(
        SIX,
        {
            (int(own, 16), int(opp, 16)): Entry(10, exact, tuple((square, value) for square, value in moves))
            for (own, opp), (exact, moves) in ((key.split(), answer) for key, answer in answers.items())
        },
    )
    assert whole.worths == pruned.worths
    fewer = 0
    for key, entry in pruned.entries.items():
        every, kept_moves = whole.entries[key].moves, entry.moves
        left_out = [value for square, value in every if (square, value) not in kept_moves]
        fewer += len(left_out)
        assert not left_out or max(left_out) <= kept_moves[-1][1]
    assert fewer


@pytest.mark.parametrize(("loss", "comes"), [(1, True), (4, False)])
def test_a_lost_disc_counts_for_two_plies(loss: int, comes: bool, tmp_path: Path) -> None:
    """Answers are there before they are asked for: after e4 the second best reply costs so much, the third far more."""
    plan, empty = growing.Plan(SIX, 10, 12), Book(SIX, {})
    start = Position.start(SIX)
    after = Position(*empty.key(start.play("e4")), variant=SIX)
    values = dict(zip(after.legal_moves, (0, -loss, -20), strict=True))
    replies = [after.play(move) for move in values]
    answers = {start: dict.fromkeys(start.canonical().different_moves, 0), after: values} | {
        reply: dict.fromkeys(reply.canonical().different_moves, -value)
        for reply, value in zip(replies, values.values(), strict=True)
    }
    with Kept(tmp_path / "kept", plan.settings) as kept, Here() as workers:
        kept.keep([("{:x} {:x}".format(*empty.key(at)), [False, [*each.items()]]) for at, each in answers.items()])
        book = growing.Grower(plan, kept).grown(4, workers, Stop(), lambda state: None)
    assert [book.covers(each) for each in replies] == [True, comes, False]
    assert all(book.covers(each) for each in (start, after))


def test_built_twice_killed_in_between_it_is_the_same_book(six: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed.book"
    command = [sys.executable, "-m", "outflank", "book", "build", *SMALL, "--jobs", "2", "--out", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    beside = tmp_path / "killed.book.searched-wal"
    while not (beside.exists() and beside.stat().st_size > 40_000) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed.unlink(missing_ok=True)  # however fast it was
    told("build", *SMALL, "--jobs", "1", "--out", str(killed))
    assert killed.read_bytes() == six.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["othello", "reversed"])
def test_the_shipped_books_are_what_is_searched_now(name: str) -> None:
    """Built anew they would be the same: a search of random positions of theirs says again what is there."""
    variant = Variant.named(name)
    book = file.open_book(variant=variant)
    assert book.about["weights"] == shipped_digest()
    for key in random.Random(3).sample(sorted(book.entries), 6):
        exact, moves = growing.Question(variant, key, book.entries[key].level)(Stop())
        found = dict(moves)
        assert book.entries[key].exact == exact
        assert {move: found[move] for move, _ in book.entries[key].moves} == dict(book.entries[key].moves)


def test_a_book_grows_from_where_it_is(six: Path, tmp_path: Path) -> None:
    path = tmp_path / "grown.book"
    fewer = [*SMALL[:-1], "21"]
    assert told("build", *fewer, "--out", str(path))["positions"] == 21
    assert told("build", *SMALL, "--out", str(path))["positions"] == 40
    assert path.read_bytes() == six.read_bytes()
    refused = run("build", *SMALL, "--plies", "3", "--out", str(path))
    assert "was started with plies 24, not plies 3: use the same options, or another --out" in str(refused.exception)


def test_a_budget_leaves_a_book_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "short.book"
    done = run("build", *SMALL, "--budget", "0.001s", "--out", str(path))
    assert done.exit_code == 1
    assert len(file.load(str(path)).entries) < 40


def test_a_book_without_positions_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "none.book")
    file.save(Book(SIX, {}), path)
    assert run("show", path).stdout.startswith("6x6, 0 positions\n")
    assert "has no positions yet" in str(run("verify", path).exception)


def test_a_book_is_short_at_a_prompt(six: Path) -> None:
    assert repr(file.load(str(six))) == "<Book 6x6, 40 positions by searches of level 10>"


def test_what_cannot_be_kept_is_told_in_one_line(tmp_path: Path) -> None:
    told = str(run("build", *SMALL, "--out", str(tmp_path / "none" / "six.book")).exception)
    assert "six.book.searched cannot be used: unable to open" in told
    with Kept(tmp_path / "kept", {}) as kept:
        kept._base.execute("PRAGMA max_page_count = 8")
        with pytest.raises(OSError, match=r"cannot be written: database or disk is full\. What is stored is safe"):
            kept.keep([(str(number), "x" * 1000) for number in range(100)])


def test_the_end_of_a_game_is_exact(tmp_path: Path) -> None:
    """A book of a whole small game knows its result."""
    variant = Variant.named("4x6")
    start = Position.start(variant)
    played = Game(start)
    dice = random.Random(3)
    while played.position.empties > 6:
        played.push(dice.choice(played.position.legal_moves))
    position = played.position
    key = Book(variant, {}).key(position)
    exact, moves = growing.Question(variant, key, 10)(Stop())
    assert exact
    book = Book(variant, {key: Entry(10, exact, tuple(map(tuple, moves)))})
    best = Solver().solve(position).score
    worth = book.worth(position)
    assert worth is not None and worth == (best, best, best)


def test_named_openings_and_a_library_come_first(tmp_path: Path) -> None:
    named = growing.named_positions(Variant())
    book = Book(Variant(), {})
    assert book.key(Game.from_transcript("f5d6c3d3c4").position) in named  # Tiger
    assert growing.named_positions(SIX) == []
    games = [Game.from_transcript(line, Position.start(SIX)) for line in ("e4e3d2c1", "e4e3d2e1", "e4e5d5e3")]
    (tmp_path / "games.txt").write_text("".join(f"{game.transcript}\n" for game in games))
    build_library([str(tmp_path / "games.txt")], str(tmp_path / "games.duckdb"), variant=SIX)
    with Library(tmp_path / "games.duckdb") as library:
        found = growing.played_positions(library, SIX, 4, 2)
    line = Game.from_transcript("e4e3d2", Position.start(SIX)).line
    assert found == [Book(SIX, {}).key(node.position) for node in line]
    path = tmp_path / "given.book"
    told("build", *SMALL[:-1], "4", "--library", str(tmp_path / "games.duckdb"), "--played", "2", "--out", str(path))
    assert set(file.load(str(path)).entries) == {Book(SIX, {}).key(Position.start(SIX)), *found}


# Files


def test_a_file_is_read_as_it_was_written(six: Path) -> None:
    book = file.load(str(six))
    assert file.to_bytes(book) == six.read_bytes()
    assert book.about["level"] == 10


def test_a_damaged_file_is_refused(six: Path, tmp_path: Path) -> None:
    data = six.read_bytes()
    for wrong in (data[:-1], data[:60] + bytes([data[60] ^ 1]) + data[61:], file.MAGIC):
        (tmp_path / "wrong.book").write_bytes(wrong)
        with pytest.raises(ValueError, match="the book is damaged"):
            file.load(str(tmp_path / "wrong.book"))
    (tmp_path / "text.book").write_text("f5d6c3\n")
    with pytest.raises(ValueError, match="it is not an Outflank book"):
        file.load(str(tmp_path / "text.book"))


def test_merged_books_have_the_positions_of_both_in_either_order(six: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.book"
    told("build", "--variant", "6x6", "--level", "11", "--positions", "12", "--out", str(other))
    one, two = tmp_path / "one.book", tmp_path / "two.book"
    told("merge", str(six), str(other), "--out", str(one))
    told("merge", str(other), str(six), "--out", str(two))
    assert one.read_bytes() == two.read_bytes()
    merged, deeper = file.load(str(one)), file.load(str(other))
    assert merged.entries.keys() == file.load(str(six)).entries.keys() | deeper.entries.keys()
    assert all(merged.entries[key] == entry for key, entry in deeper.entries.items())
    assert {entry.level for entry in merged.entries.values()} == {10, 11}
    with pytest.raises(ValueError, match="no positions in common"):
        file.load(str(six)).merged(Book(Variant(), {}))


# Commands and players


def test_show_says_what_the_book_knows(six: Path) -> None:
    found = told("show", str(six))
    book = file.load(str(six))
    start = Position.start(SIX)
    assert found["value"] == book.worths[book.key(start)].value
    assert [each["move"] for each in found["moves"]] == ["c2", "b3", "e4", "d5"]
    line = Game.from_transcript("".join(found["line"]), start)
    assert len(line.moves) >= 3
    assert told("show", str(six), "e4")["board"] == start.play("e4").text
    assert told("show", str(six), start.text)["board"] == start.text  # it begins with a -
    assert "worth" in run("show", str(six)).stdout
    assert "does not have this position" in str(run("show", str(six), "e4e5d5e3f4b5").exception)
    assert "is for 6x6, but these are moves of othello" in str(run("show", str(six), "f5d6").exception)
    assert "Outflank has no book for 5x5" in str(run("show", "shipped", "--variant", "5x5").exception)


def test_verify_asks_a_search_what_it_regrets(six: Path, tmp_path: Path) -> None:
    sound = told("verify", str(six), "--level", "10", "--sample", "12", "--most", "2")
    assert (sound["asked"], sound["regretted"]) == (12, [])
    book = file.load(str(six))
    # A book that holds every position's worst move to be the best is found out.
    wrong = {key: Entry(10, False, ((book.moves(Position(*key, variant=SIX))[-1].move, 60),)) for key in book.entries}
    file.save(Book(SIX, wrong), str(tmp_path / "wrong.book"))
    done = run("verify", str(tmp_path / "wrong.book"), "--level", "10", "--sample", "40", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["mean"] > 1


def test_what_is_regretted_is_mended_by_a_deeper_look(six: Path, tmp_path: Path) -> None:
    """Positions that hold a bad move to be the best: looked at again, none is regretted, and the book is the same."""
    book = file.load(str(six))
    wrong = {}
    for key in sorted(book.entries)[:6]:
        worst = book.moves(Position(*key, variant=SIX))[-1].move
        wrong[key] = Entry(10, False, ((worst, 60),))
    path, first, second = (tmp_path / f"{name}.book" for name in ("wrong", "first", "second"))
    file.save(Book(SIX, wrong), str(path))
    asked = ("--level", "10", "--sample", "6")
    assert run("verify", str(path), *asked).exit_code == 1
    regretted = told("verify", str(path), *asked, "--mend", str(first), "--jobs", "1")["regretted"]
    shown = run("verify", str(path), *asked, "--mend", str(second), "--jobs", "2").stdout
    assert shown.splitlines()[-1].startswith(f"{second}: 6x6, ")
    assert shown.endswith(f"; {len(regretted)} of its moves looked at again\n")
    assert first.read_bytes() == second.read_bytes()
    mended = file.load(str(first))
    assert mended.about == {"mended": sorted(each["board"] for each in regretted)}
    assert {entry.level for key, entry in mended.entries.items() if key not in wrong} == {12}
    again = verifying.doubted(mended, len(mended.entries), 10, 1)
    found = [each(Stop()) for each in again if each.position.text in mended.about["mended"]]
    assert len(found) == len(regretted) and max(each.discs for each in found) <= 1


def test_the_engine_plays_by_its_book_and_searches_outside_of_it(six: Path) -> None:
    book = file.load(str(six))
    player = agent(f"engine:level=10,book={six}")
    game = Game(SIX)
    player.start(SIX, Color.BLACK, 1)
    while book.covers(game.position):
        report = player.choose(game, Limit())
        assert report.text == "book"
        assert (report.move, report.score) == (
            book.moves(game.position)[0].move,
            book.moves(game.position)[0].worth.value,
        )
        assert report.pv[0] == report.move
        game.push(report.move)
    report = player.choose(game, Limit())
    assert (report.text, report.depth > 0) == ("", True)


def test_variety_plays_every_move_that_costs_little(six: Path) -> None:
    book = file.load(str(six))
    position = Position.start(SIX).play("e4")
    game = Game(position)
    best = book.moves(position)[0].worth.value
    for variety in (0.0, 5.0):
        good = {each.move for each in book.moves(position) if each.worth.value >= best - variety}
        player = agent(f"engine:level=10,book={six},variety={variety}")
        played = set()
        for seed in range(40):
            player.start(SIX, Color.WHITE, seed)
            played.add(player.choose(game, Limit()).move)
        assert played == (good if variety else {book.moves(position)[0].move})
    assert len(good) > 1, square_name(position.legal_moves[0])


def test_the_books_that_come_with_it_are_opened_by_their_game(six: Path) -> None:
    book = outflank.open_book()
    assert book is outflank.open_book("shipped", "othello") and book.covers(Position.start())
    assert outflank.open_book(variant="reversed").variant == Variant.named("reversed")
    assert outflank.open_book(six).variant == SIX
    with pytest.raises(ValueError, match="Outflank has no book for 5x5"):
        outflank.open_book(variant="5x5")


def test_a_book_that_is_not_there_is_named() -> None:
    with pytest.raises((ValueError, OSError), match=r"nowhere\.book"):
        agent("engine:book=nowhere.book")
