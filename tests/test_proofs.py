"""Proofs of whole boards: their values, the certificate, and a checker that refuses whatever is wrong in it."""

import csv
import dataclasses
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import naive
import naive_proof
import pytest
from searching import ordinary, special

from outflank.board.position import Position
from outflank.board.squares import parse_square
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.proofs import certificate as certificates
from outflank.proofs import reader
from outflank.proofs.certificate import Certificate, shipped
from outflank.proofs.checker import Sample, check
from outflank.proofs.plain import PlainSolver
from outflank.proofs.prover import Plan, Prover
from outflank.proofs.reader import Reader
from outflank.proofs.store import Store
from outflank.proofs.tasks import Question
from outflank.work.cluster import Cluster
from outflank.work.durations import seconds_of
from outflank.work.processes import Processes
from outflank.work.stop import Stop
from outflank.work.threads import Threads
from outflank.work.workers import Here, Workers

VALUES = {"4x4": -10, "reversed-4x4": 4, "4x4-parallel": -4, "reversed-4x4-parallel": 0}
SOURCES = Path(certificates.__file__).parent.parent.parent


def proved(
    folder: Path, name: str, workers: Workers | None = None, split: int | None = None, leaves: int | None = None
) -> Certificate:
    """A certificate, in one run."""
    plan = Plan.of(Variant.named(name), split, leaves)
    with Store(folder / f"{name}.questions", plan.settings) as store, workers or Here() as crew:
        certificate = Prover(plan, store).run(crew)
    assert certificate is not None
    return certificate


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """4x4 with a tree that goes far down."""
    return proved(tmp_path_factory.mktemp("4x4"), "4x4", split=9, leaves=3)


def outflank(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-m", "outflank", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


# The checker's solver


@cache
def memory(variant: Variant) -> dict[tuple[int, int], int]:
    return {}


def naive_score(position: Position) -> int:
    """Minimax to the end over the naive rules, with nothing but a memory."""
    variant, known = position.variant, memory(position.variant)

    def score(own: int, opp: int) -> int:
        if (own, opp) not in known:
            choices = naive.choices(own, opp, variant.board)
            if choices:
                known[own, opp] = max(-score(*naive.play(own, opp, move, variant.board)) for move in choices)
            else:
                known[own, opp] = variant.sign * naive.final_margin(own, opp, variant.board)
        return known[own, opp]

    return score(position.own, position.opp)


@pytest.mark.parametrize("name", ["4x4", "reversed-4x5", "5x5", "reversed-5x5-parallel", "reversed", "othello"])
def test_the_plain_solver_says_of_every_bound_what_minimax_says(name: str) -> None:
    variant = Variant.named(name)
    late = [position for position in ordinary(variant, 60) if position.empties <= 7]
    late += [position for _, position in special(variant) if position.empties <= 7]
    assert late
    solver = PlainSolver(variant)
    for position in late:
        score = naive_score(position)
        for alpha in {-variant.square_count, score - 2, score - 1, score, score + 1, variant.square_count}:
            assert solver.above(position.own, position.opp, alpha) == (score > alpha), position


@pytest.mark.parametrize("name", ["5x5", "reversed-5x5"])
def test_the_plain_solver_remembers_nothing_wrong(name: str) -> None:
    """From ten empties on it sorts and remembers; asked about all bounds in turn, one score comes out."""
    variant = Variant.named(name)
    positions = [position for position in ordinary(variant, 80, seed=1) if 9 <= position.empties <= 10][:4]
    assert positions
    used = PlainSolver(variant)
    for position in positions:
        own, opp, exact = position.own, position.opp, naive_score(position)
        for alpha in (exact - 1, exact, exact - 3, exact + 2, exact - 1, exact):
            assert used.above(own, opp, alpha) == PlainSolver(variant).above(own, opp, alpha) == (exact > alpha)


# Values and trees


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(("split", "leaves"), [(None, None), (12, 11), (9, 3), (8, 1)])
def test_4x4_has_its_values_however_it_is_parted(
    name: str, split: int | None, leaves: int | None, tmp_path: Path
) -> None:
    certificate = proved(tmp_path, name, split=split, leaves=leaves)
    assert certificate.value == VALUES[name]
    verdict = check(certificate)
    assert verdict.proved and verdict.failure is None
    assert all(bound.solved == bound.leaves > 0 for bound in verdict.bounds)


@pytest.mark.parametrize(("name", "value"), [("4x5", None), ("reversed-5x4-parallel", None), ("4x6", 16), ("5x5", 13)])
def test_boards_with_passes_and_early_ends(name: str, value: int | None, tmp_path: Path) -> None:
    from outflank.search.engine.solver import Solver

    certificate = proved(tmp_path, name, split=12, leaves=6)
    assert certificate.value == Solver(16).solve(Position.start(Variant.named(name))).score
    assert value is None or certificate.value == value
    assert check(certificate).proved


def test_a_value_that_nobody_can_beat_needs_one_bound_only(tmp_path: Path) -> None:
    """On 4x8 the first player takes all."""
    certificate = proved(tmp_path, "4x8")
    assert certificate.value == 32
    assert certificate.moves[1] == b""
    assert check(certificate).proved
    surplus = check(dataclasses.replace(certificate, moves=(certificate.moves[0], bytes(1))))
    assert not surplus.proved and "1 of its moves belong to no position" in str(surplus.failure)
    assert len(Reader(certificate).line()) > 0


def test_a_proof_is_written_down_from_what_the_search_knows() -> None:
    """Not searched again where the search met a position in another of its symmetric forms."""
    for name, plies in (("5x6", 4), ("reversed-5x6", 4)):
        position = Position.start(Variant.named(name))
        for _ in range(plies):
            position = position.play(position.legal_moves[-1])
        question = Question(position.variant, position.own, position.opp, 3, leaves=position.empties - 1)
        decided = question(Stop())
        written = dataclasses.replace(question, leaves=14)(Stop())
        assert len(decided.moves) <= 1 and len(written.moves) > 20  # how many there are follows from the search
        assert decided.holds == written.holds and written.nodes < 2 * decided.nodes


def test_the_line_is_best_play_on_both_sides(four: Certificate) -> None:
    here = Position.start(four.variant)
    for ply, move in enumerate(Reader(four).line()):
        assert naive_score(here) == (four.value if ply % 2 == 0 else -four.value)
        here = here.play(move)
    outcome = here.outcome()
    assert outcome is not None and outcome.score == four.value


def test_the_reader_knows_bounds_that_hold(four: Certificate) -> None:
    reader = Reader(four)
    start = Position.start(four.variant)
    assert reader.bounds(start) == (four.value, four.value)
    waiting, bounded = [start], 0
    for position in waiting:
        lower, upper = reader.bounds(position)
        assert lower <= naive_score(position) <= upper
        bounded += lower > -16 or upper < 16
        if position.empties > 9:
            waiting += [position.play(move) for move in position.legal_moves]
    assert bounded > 20


def test_readers_that_come_at_once_read_a_certificate_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader._reader_for.cache_clear()
    asked, load, made = threading.Barrier(2, timeout=60), Certificate.load, list[str]()

    def slowly(file: str) -> Certificate:
        made.append(file)
        time.sleep(0.1)  # the other one asks now
        return load(file)

    def ask(_: int) -> object:
        asked.wait()
        return reader.reader_for(Variant.named("4x5"))

    monkeypatch.setattr(Certificate, "load", slowly)
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(ask, range(2))
    assert one is other is not None
    assert len(made) == 1


# Tampering


def test_a_certificate_reads_as_it_was_written(four: Certificate) -> None:
    assert Certificate.from_bytes(four.to_bytes()) == four


def test_every_changed_byte_is_refused_with_its_place(four: Certificate) -> None:
    long = dataclasses.replace(four, moves=(random.Random(1).randbytes(3000), four.moves[1]))
    data = long.to_bytes()
    content = len(data) - 4 * -(-len(data) // (certificates.BLOCK + 4))
    for place in range(len(data)):
        wrong = bytearray(data)
        wrong[place] ^= 1 << place % 8
        with pytest.raises(Fault) as refused:
            Certificate.from_bytes(bytes(wrong))
        if place < len(certificates.MAGIC):
            assert refused.value.code == "proof.no-certificate"
        else:
            assert refused.value.code == "proof.damaged"
        if len(certificates.MAGIC) <= place < content:
            assert refused.value.params["first"] <= place <= refused.value.params["last"]  # type: ignore[operator]


@pytest.mark.parametrize("cut", [1, 4, 5, 100])
def test_a_certificate_that_was_cut_is_refused(four: Certificate, cut: int) -> None:
    with pytest.raises(Fault):
        Certificate.from_bytes(four.to_bytes()[:-cut])
    with pytest.raises(Fault):
        Certificate.from_bytes(four.to_bytes() + bytes(cut))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"value": -10', b'"value": "+"'),
        (b'"moves": [', b'"m0ves": ['),
        (b'"4x4"', b'"9x9"'),
        (b'"leaves": ', b'"leavez": '),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(four: Certificate, old: bytes, new: bytes) -> None:
    assert old in four.to_bytes()
    with pytest.raises(Fault) as refused:
        Certificate.from_bytes(mended(four.to_bytes(), old, new))
    assert refused.value.code == "proof.form"


def test_more_moves_than_were_announced_are_never_unpacked(four: Certificate) -> None:
    count = str(len(four.moves[0]))
    for other in (str(int(count) + 1), str(int(count) - 1), "-2", "9" * 12):
        wrong = mended(four.to_bytes(), f'"moves": [{count}'.encode(), f'"moves": [{other}'.encode())
        with pytest.raises(Fault, match="moves were announced"):
            Certificate.from_bytes(wrong)


def mended(data: bytes, old: bytes, new: bytes) -> bytes:
    """A file with something replaced, and lengths and checksums that fit again."""
    blocks = -(-len(data) // (certificates.BLOCK + 4))
    begin = len(certificates.MAGIC) + 4
    length = int.from_bytes(data[begin - 4 : begin], "little") + len(new) - len(old)
    content = data[: begin - 4] + length.to_bytes(4, "little") + data[begin : -4 * blocks].replace(old, new, 1)
    parts = [content[first : first + certificates.BLOCK] for first in range(0, len(content), certificates.BLOCK)]
    return content + b"".join(zlib.crc32(part).to_bytes(4, "little") for part in parts)


def moves_of(certificate: Certificate, side: int) -> list[tuple[Position, int]]:
    """The claiming side's positions in the order of their moves, found by a walk of Python's own."""
    variant, squares = certificate.variant, iter(certificate.moves[side])
    level, found = [(Position.start(variant).canonical(), side == 0)], []
    for empties in range(12, certificate.leaves, -1):
        settled = set()
        for position, ours in level:
            if position.must_pass:
                passed = Position(position.opp, position.own, variant=variant).canonical()
                settled.add((passed, not ours))
            elif not position.is_over:
                settled.add((position, ours))
        below = set()
        for position, ours in sorted(settled, key=lambda each: (each[0].own, each[0].opp)):
            assert position.empties == empties
            moves = position.legal_moves
            if ours:
                moves = (next(squares),)
                found.append((position, moves[0]))
            for move in moves:
                after = position.play(move)
                below.add((Position(after.own, after.opp, variant=variant).canonical(), not ours))
        level = list(below)
    assert next(squares, None) is None
    return found


@pytest.mark.parametrize("side", [0, 1])
def test_every_move_that_is_changed_for_a_worse_one_is_refused_with_the_line(four: Certificate, side: int) -> None:
    """With the checksums mended: the walk finds it. Every other legal move in the place of each, and illegal ones."""
    least = four.value if side == 0 else -four.value
    illegal = worse = 0
    for place, (position, right) in enumerate(moves_of(four, side)):
        off_the_board, taken = 63, position.own.bit_length() - 1
        for square in (*position.legal_moves, off_the_board, taken):
            if square == right:
                continue
            legal = square in position.legal_moves
            if legal and -naive_score(position.play(square)) >= least:
                continue  # as good a move: with its own answers it would be a proof, too
            moves = bytearray(four.moves[side])
            moves[place] = square
            sides = (bytes(moves), four.moves[1]) if side == 0 else (four.moves[0], bytes(moves))
            verdict = check(Certificate.from_bytes(dataclasses.replace(four, moves=sides).to_bytes()))
            assert not verdict.proved
            failure = verdict.failure
            assert failure is not None
            claims = "the first player gets at least -10", "the second player gets at least +10"
            assert str(verdict.bounds[-1].claim) == claims[side]
            if not legal:
                assert failure.params["why"].code == "proof.illegal"  # type: ignore[attr-defined]
            if failure.code == "proof.fails":
                follow(four.variant, str(failure.params["line"]))
            illegal, worse = illegal + (not legal), worse + legal
    assert illegal > 20 and worse > 3


def follow(variant: Variant, line: str) -> Position:
    """The position that a line leads to; its moves are legal."""
    here = Position.start(variant)
    for name in line.split() if line != "-" else ():
        here = here.play(parse_square(name))
    return here


@pytest.mark.parametrize("name", ["4x4", "reversed-4x4"])
def test_a_better_value_than_the_true_one_is_refused_at_a_leaf_or_an_end(name: str, tmp_path: Path) -> None:
    certificate = proved(tmp_path, name, split=9, leaves=5)
    for value, claimant in ((certificate.value + 2, 1), (certificate.value - 2, -1)):
        verdict = check(dataclasses.replace(certificate, value=value))
        failure = verdict.failure
        assert not verdict.proved and failure is not None and failure.code == "proof.fails"
        assert failure.params["why"].code in ("proof.leaf", "proof.end")  # type: ignore[attr-defined]
        here = follow(certificate.variant, str(failure.params["line"]))
        for_first = naive_score(here) * (1 if here.turn == 0 else -1)
        assert claimant * for_first < claimant * value


def test_missing_and_left_over_moves_are_refused(four: Certificate) -> None:
    first, second = four.moves
    for moves, code in (((first[:-1], second), "proof.moves-end"), ((first, second + b"\0"), "proof.moves-left")):
        failure = check(dataclasses.replace(four, moves=moves)).failure
        assert failure is not None
        assert failure.params["why"].code == code  # type: ignore[attr-defined]


def test_a_certificate_of_another_game_is_refused(four: Certificate) -> None:
    for name in ("reversed-4x4", "4x4-parallel", "4x5"):
        assert not check(dataclasses.replace(four, variant=Variant.named(name))).proved


# A second checker, from the document alone


def rows(variant: Variant) -> tuple[str, ...]:
    """The start as the second checker has boards: Black, who begins, has the X."""
    text = Position.start(variant).text
    return tuple(text[row * variant.columns : (row + 1) * variant.columns] for row in range(variant.rows))


@pytest.mark.parametrize("name", VALUES)
def test_a_checker_written_from_the_document_agrees(name: str) -> None:
    certificate = Certificate.load(str(shipped()[name]))
    assert naive_proof.proves(shipped()[name].read_bytes(), rows(certificate.variant))
    for value in (certificate.value - 2, certificate.value + 2):
        wrong = dataclasses.replace(certificate, value=value)
        assert not naive_proof.proves(wrong.to_bytes(), rows(certificate.variant)) and not check(wrong).proved


def test_both_checkers_refuse_the_same_changes(four: Certificate) -> None:
    dice, verdicts = random.Random(3), []
    for _ in range(60):
        sides = [bytearray(moves) for moves in four.moves]
        side = dice.choice(sides)
        at, square = dice.randrange(len(side)), dice.choice(four.variant.squares)
        side[at : at + dice.choice((0, 1, 1, 1))] = bytes([square] * dice.choice((0, 1, 1, 1)))
        changed = dataclasses.replace(four, moves=(bytes(sides[0]), bytes(sides[1])))
        verdicts.append(check(changed).proved)
        assert naive_proof.proves(changed.to_bytes(), rows(four.variant)) == verdicts[-1]
    assert verdicts.count(False) > 30


# Interruptions, and who does the work

PLACES: dict[str, Callable[[], Workers]] = {
    "here": Here,
    "threads": lambda: Threads(2),
    "processes": lambda: Processes(2),
    "ray": lambda: Cluster("ray", 2),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The certificate of a board with some dozen questions, in one run."""
    certificate = proved(tmp_path_factory.mktemp("small"), "reversed-4x5", split=12, leaves=5)
    assert check(certificate).proved
    return certificate.to_bytes()


def test_interrupted_five_times_and_resumed_it_is_the_same_certificate(small: bytes, tmp_path: Path) -> None:
    plan = Plan.of(Variant.named("reversed-4x5"), 12, 5)
    for asked in (1, 2, 1, 3, 4):
        with Store(tmp_path / "questions", plan.settings) as store, Here() as workers:
            before = len(store.holding())
            assert Prover(plan, store).run(workers, most=asked) is None
            assert len(store.holding()) == before + asked, "no answer is lost, and none is asked for twice"
    with Store(tmp_path / "questions", plan.settings) as store, Here() as workers:
        certificate = Prover(plan, store).run(workers)
    assert certificate is not None
    assert certificate.to_bytes() == small


@pytest.mark.parametrize("place", ["threads", "processes", pytest.param("ray", marks=pytest.mark.slow)])
def test_whoever_does_the_work_the_certificate_is_the_same(place: str, small: bytes, tmp_path: Path) -> None:
    if place == "ray":
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'outflank[cluster]'")
    assert proved(tmp_path, "reversed-4x5", PLACES[place](), 12, 5).to_bytes() == small


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "Ctrl-C"])
def test_ended_anyhow_it_goes_on_from_what_it_had(how: signal.Signals, tmp_path: Path) -> None:
    words = (sys.executable, "-m", "outflank", "prove", "5x6", "--split", "18", "--leaves", "12")
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    began = subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    while began.poll() is None and answers(tmp_path / "5x6.questions") < 3:
        time.sleep(0.05)
    began.send_signal(how)
    _, said = began.communicate()
    if how == signal.SIGINT:
        assert began.returncode == 130
        assert "what was found is in 5x6.questions: run the same command to resume" in said
    kept = answers(tmp_path / "5x6.questions")
    assert kept >= 3 and not (tmp_path / "5x6.proof").exists()
    plan = Plan.of(Variant.named("5x6"), 18, 12)
    with Store(tmp_path / "5x6.questions", plan.settings) as store, Here() as workers:
        assert Prover(plan, store).run(workers, most=2) is None
        assert len(store.holding()) == kept + 2


def answers(file: Path) -> int:
    """How many answers a store has, as anybody may look while it is written."""
    if not file.exists():
        return 0
    base = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return int(base.execute("SELECT count(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:  # it is being made
        return 0
    finally:
        base.close()


def test_a_store_is_for_one_plan(tmp_path: Path) -> None:
    plan = Plan.of(Variant.named("4x4"))
    Store(tmp_path / "questions", plan.settings).close()
    with pytest.raises(Fault, match="use the same options, or another --out"):
        Store(tmp_path / "questions", Plan.of(Variant.named("4x4"), 9).settings)
    (tmp_path / "text").write_text("no database, but long enough to look like one" * 100)
    with pytest.raises(Fault, match="cannot be used"):
        Store(tmp_path / "text", plan.settings)
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(Fault, match="this command did not make it"):
        Store(tmp_path / "other", plan.settings)


@pytest.mark.parametrize(("split", "leaves"), [(4, 4), (13, 4), (3, 5), (5, 0)])
def test_a_plan_that_makes_no_sense_is_refused(split: int, leaves: int) -> None:
    with pytest.raises(Fault, match="the start has 12"):
        Plan.of(Variant.named("4x4"), split, leaves)


# What is shipped

SHIPPED = [pytest.param(name, id=name) for name in shipped()]
SMALL, LARGE = 20_000, 1_000_000
"""Bytes of a certificate that is checked whole in a moment, and of one whose tree alone takes long to walk."""
WALKED = [
    pytest.param(name, id=name, marks=pytest.mark.slow if file.stat().st_size > LARGE else ())
    for name, file in shipped().items()
]


def test_certificates_are_shipped() -> None:
    assert VALUES.items() <= {name: Certificate.load(str(file)).value for name, file in shipped().items()}.items()
    assert sum(file.stat().st_size for file in shipped().values()) < 40e6
    assert max(file.stat().st_size for file in shipped().values()) < 20e6


@pytest.mark.parametrize("name", WALKED)
def test_a_shipped_certificate_is_of_its_game_and_stands_a_check(name: str) -> None:
    certificate = Certificate.load(str(shipped()[name]))
    assert certificate.variant == Variant.named(name)
    sample = None if shipped()[name].stat().st_size < SMALL else Sample(leaves=200)
    verdict = check(certificate, sample=sample)
    assert verdict.failure is None
    assert verdict.proved == (sample is None)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_certificate_proves_its_value(name: str) -> None:
    with Threads(2) as workers:
        assert check(Certificate.load(str(shipped()[name])), workers).proved


def test_the_document_has_the_values_and_lines_of_the_certificates() -> None:
    docs = SOURCES.parent / "docs"
    rows = list(csv.DictReader((docs / "proofs.csv").read_text().splitlines()))
    values = {row["variant"]: row["value"] for row in rows}
    assert values == {name: f"{Certificate.load(str(file)).value:+}" for name, file in shipped().items()}
    shown = re.findall(r"^\| `([\w-]+)` \| ([+-]\d+) \| [\d,]+ \|", (docs / "proofs.md").read_text(), re.MULTILINE)
    assert len(shown) > 3 and set(shown) <= set(values.items())
    for name, line in ((row["variant"], row["line"]) for row in rows):
        outcome = follow(Variant.named(name), line).outcome()
        assert outcome is not None and outcome.score == int(values[name])


# Samples, and the commands


def test_a_sample_solves_some_leaves_and_walks_the_whole_tree(tmp_path: Path) -> None:
    certificate = proved(tmp_path, "5x5", split=15, leaves=8)
    whole = check(certificate)
    sample = check(certificate, sample=Sample(leaves=10))
    assert not sample.proved and sample.failure is None
    for one, all_ in zip(sample.bounds, whole.bounds, strict=True):
        assert (one.positions, one.leaves) == (all_.positions, all_.leaves)
        assert 0 < one.solved <= 11 < all_.solved == all_.leaves


def test_the_checker_runs_without_the_engine() -> None:
    code = "import sys, outflank.proofs.checker as c; print([m for m in sys.modules if 'outflank.search' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SOURCES)}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_prove_and_verify_as_commands(tmp_path: Path) -> None:
    made = outflank("prove", "reversed-4x4", "--start", "parallel", "--threads", "2", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    data = json.loads(made.stdout)
    assert (data["variant"], data["value"], data["bounds"]) == ("reversed-4x4-parallel", 0, [0, 0])
    file = tmp_path / data["file"]
    assert file.stat().st_size == data["bytes"]
    told = outflank("verify", data["file"], "--threads", "2", cwd=tmp_path)
    assert told.returncode == 0 and "PROVED" in told.stdout, told
    found = json.loads(outflank("verify", data["file"], "--json", cwd=tmp_path).stdout)
    assert found["proved"] and found["failure"] is None and len(found["bounds"]) == 2
    assert follow(Variant.named("reversed-4x4-parallel"), " ".join(found["pv"])).is_over
    certificate = Certificate.load(str(file))
    dataclasses.replace(certificate, value=2).save(str(file))
    refused = outflank("verify", data["file"], cwd=tmp_path)
    assert refused.returncode == 1
    assert "REFUSED: it does not prove that the first player gets at least +2: after " in refused.stdout
    file.write_bytes(file.read_bytes()[:-9] + bytes(9))
    damaged = outflank("verify", data["file"], cwd=tmp_path)
    assert damaged.returncode == 2
    assert "it is damaged: bytes 0 to " in damaged.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("prove", "4x9"), "9"),
        (("prove", "4x4", "--start", "round"), "round"),
        (("prove", "4x4", "--budget", "soon"), "write a time as"),
        (("prove", "4x4", "--out", sys.executable), "file exists"),
        (("prove", "4x4", "--split", "20"), "the start has 12"),
        (("verify", "nothing.proof"), "nothing.proof"),
        (("verify", sys.executable), "not a certificate"),
        (("verify", "4x4", "--sample", "much"), "write a time as"),
        (("verify", "4x4", "--sample", "0"), "write a sample as"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = outflank(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_budget_ends_a_run_that_the_next_one_finishes(tmp_path: Path) -> None:
    short = outflank("prove", "5x5", "--split", "15", "--budget", "0.01s", cwd=tmp_path)
    assert short.returncode == 1
    assert "not proved yet, between -25 and +25: run the same command to resume" in short.stdout
    rest = outflank("prove", "5x5", "--split", "15", cwd=tmp_path)
    assert rest.returncode == 0 and "the first player's value is +13" in rest.stdout


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1d", 86400)])
def test_times_as_people_write_them(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "soon", "-1s", "1w", "1e99d", "٣s"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(Fault, match="write a time as"):
        seconds_of(text)


def test_the_folder_of_a_proof_is_made(tmp_path: Path) -> None:
    made = outflank("prove", "4x4", "--out", "new/proofs", cwd=tmp_path)
    assert made.returncode == 0 and (tmp_path / "new" / "proofs" / "4x4.proof").is_file()
    (tmp_path / "file").write_text("")
    refused = outflank("prove", "4x4", "--out", "file", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
