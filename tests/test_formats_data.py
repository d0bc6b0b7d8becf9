"""The real collections, where they are at hand: ../shared/data beside the repository."""

import time
from collections import Counter
from pathlib import Path

import pytest

from outflank.formats import census, files, gam, wthor
from outflank.formats.detect import detect
from outflank.formats.reading import unpacked
from outflank.formats.table import GameTable

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
WTHOR = DATA / "wthor"
LOG_BOOK = DATA / "games" / "logbook.gam.gz"

needs_wthor = pytest.mark.skipif(not WTHOR.is_dir(), reason="the WTHOR files are not in ../shared/data")
needs_log_book = pytest.mark.skipif(not LOG_BOOK.is_file(), reason="the log book is not in ../shared/data")


@pytest.fixture(scope="module")
def wthor_tables() -> list[GameTable]:
    tables = [files.load(path).games for path in files.game_files(str(WTHOR))]
    return [table for table in tables if isinstance(table, GameTable)]


@needs_wthor
def test_all_wthor_games_are_legal_and_the_complete_ones_have_the_stored_score(wthor_tables: list[GameTable]) -> None:
    counted = sum(map(census.count, wthor_tables), Counter[str]())
    assert counted == Counter(games=137_548, legal=137_548, complete=137_135, agreeing=137_135, incomplete=413)


def slowness() -> float:
    """How many times slower this machine is now than one that is not slow, by what a plain sum takes."""
    began = time.process_time()
    sum(range(5_000_000))
    return max((time.process_time() - began) / 0.1, 1.0)


@needs_wthor
def test_wthor_is_replayed_in_five_seconds() -> None:
    began = time.process_time()
    for path in files.game_files(str(WTHOR)):
        census.count(files.load(path, check=False).games)
    assert time.process_time() - began < 5 * slowness()


@needs_wthor
def test_every_wthor_file_is_written_as_it_was_but_for_its_date(wthor_tables: list[GameTable]) -> None:
    paths = files.game_files(str(WTHOR))
    assert len(paths) == len(wthor_tables) == 49
    for path in paths:
        data = Path(path).read_bytes()
        assert wthor.write(wthor.read(data))[4:] == data[4:]


@needs_wthor
def test_wthor_games_have_their_names(wthor_tables: list[GameTable]) -> None:
    assert wthor_tables[0][1].tags == {
        "Black": "Heiberg Thomas",
        "White": "Jacobs Carol",
        "Event": "World Championship",
        "Date": "1977",
        "TheoreticalScore": "+24",
        "TheoreticalEmpties": "24",
    }
    players, events = wthor.names_of(GameTable.joined(wthor_tables))
    assert len(players) > 4000 and "World Championship" in events


@needs_log_book
def test_all_of_logistello_s_games_are_legal_with_the_stored_score() -> None:
    began = time.process_time()
    games = files.load(str(LOG_BOOK)).games
    counted = census.count(games)
    assert time.process_time() - began < 5 * slowness()
    assert counted == Counter(games=121_123, legal=121_123, complete=121_123, agreeing=121_123)
    assert gam.write(games).encode() == unpacked(LOG_BOOK.read_bytes())


@needs_wthor
@needs_log_book
def test_whole_collections_go_from_one_format_to_the_other_and_back(wthor_tables: list[GameTable]) -> None:
    table = GameTable.joined(wthor_tables)
    again = gam.read(gam.write(table))
    assert (again.squares[:, :60] == table.squares).all()
    back = wthor.read(wthor.write(again))
    assert (back.squares == table.squares).all()


@pytest.mark.skipif(not (DATA / "suites").is_dir(), reason="the test suites are not in ../shared/data")
def test_the_suites_score_every_legal_move() -> None:
    for path in sorted((DATA / "suites").glob("*.obf")):
        found = detect(path.read_bytes())
        assert found.format == "obf"
        for problem in found.problems:
            assert set(problem.scores) <= set(problem.position.legal_moves)
    fforum = files.load(str(DATA / "suites" / "fforum-1-19.obf")).problems
    assert len(fforum) == 19 and fforum[0].best == 18
    assert all(set(problem.scores) == set(problem.position.legal_moves) for problem in fforum)
