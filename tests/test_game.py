"""A game: moves and forced passes, taking back, branches, comments, transcripts and results."""

from random import Random

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import STARTS, games, lines, random_line, variants

from outflank.board.game import Game, Node, Replay
from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.board.variant import OTHELLO, Variant
from outflank.formats.properties import NumberedReplay
from outflank.protocols.moves import Moves

PERFECT_6X6 = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1"
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # Black wins in nine plies: White has no disc left


def squares(names: str) -> list[int]:
    return [parse_square(name) for name in names.split()]


def games_with_a_pass(how_many: int) -> list[tuple[Variant, list[int]]]:
    """Complete random games in which a side had to pass, on boards of all kinds."""
    rng = Random(2)
    found: list[tuple[Variant, list[int]]] = []
    while len(found) < how_many:
        variant = Variant(rng.randint(4, 8), rng.randint(4, 8), start=rng.choice(STARTS))
        line = random_line(variant, rng.randbytes(80))[1]
        if PASS in line:
            found.append((variant, line))
    return found


WITH_A_PASS = games_with_a_pass(12)


def before_the_pass(variant: Variant, line: list[int]) -> tuple[Game, int]:
    """A game just before the move that leaves the other side without one, and that move."""
    ply = line.index(PASS) - 1
    return Game.from_moves(line[:ply], variant), line[ply]


# Playing and taking back


def test_a_game_begins_at_its_variants_start() -> None:
    game = Game(Variant(6, 6))
    assert game.position == game.start == Position.start(Variant(6, 6))
    assert (game.moves, game.line, game.transcript, game.peek()) == ([], [], "", None)
    assert game.outcome() is None and not game.is_over


def test_a_game_begins_at_any_position() -> None:
    position = Position.start().play("f5")
    game = Game(position)
    game.push("d6")
    assert game.start == position
    assert game.position == position.play("d6")


@given(lines())
def test_pushes_follow_the_rules(line: tuple[Variant, list[int]]) -> None:
    variant, moves = line
    game = Game(variant)
    own, opp = naive.start(variant.rows, variant.columns, variant.start)
    for move in moves:
        own, opp = naive.play(own, opp, move, variant.board)
        if move != PASS:
            game.push(move)
    forced = naive.choices(own, opp, variant.board) == [PASS]
    assert (game.position.own, game.position.opp) == ((opp, own) if forced else (own, opp))
    assert game.moves == ([*moves, PASS] if forced else moves)


@given(games())
def test_the_side_to_move_always_has_a_move_until_the_game_is_over(game: Game) -> None:
    assert game.is_over or game.position.legal_moves


@given(games())
def test_taking_back_everything_leads_through_the_same_positions(game: Game) -> None:
    played = [node.move for node in game.line if node.move != PASS]
    end = game.position
    taken = []
    while game.peek() is not None:
        last = game.peek()
        assert game.pop() == last
        taken.append(last)
        assert game.position == Game.from_moves(played[: -len(taken)], game.variant).position  # type: ignore[arg-type]
    assert taken == played[::-1]
    assert game.position == game.start
    for move in played:
        assert game.redo() == move
    assert game.position == end


def test_nothing_to_take_back_and_nothing_to_play_again() -> None:
    game = Game()
    with pytest.raises(ValueError, match="no move to take back"):
        game.pop()
    with pytest.raises(ValueError, match="no move to redo"):
        game.redo()


def test_moves_are_squares_or_names() -> None:
    game = Game()
    assert game.push("F5").move == 37
    assert game.push(43).move == 43
    assert game.moves == [37, 43]
    assert game.transcript == str(game) == "f5d6"


def test_an_illegal_push_changes_nothing() -> None:
    game = Game.from_transcript("f5d6")
    before = list(game.nodes())
    for wrong in ("f5", "a1", "pass", "z9", 65):
        with pytest.raises(ValueError, match="is not"):
            game.push(wrong)
    assert list(game.nodes()) == before
    assert game.moves == squares("f5 d6")


# Passes


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_a_forced_pass_is_played_at_once(variant: Variant, line: list[int]) -> None:
    game, move = before_the_pass(variant, line)
    mover = game.position.turn
    node = game.push(move)
    assert node.move == move
    assert node.position.must_pass and node.position.turn is mover.other
    assert game.position.turn is mover
    assert game.moves[-2:] == [move, PASS]
    assert game.peek() == move


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_taking_back_after_a_pass_gives_the_move_to_its_player(variant: Variant, line: list[int]) -> None:
    game, move = before_the_pass(variant, line)
    before = game.position
    game.push(move)
    assert game.pop() == move
    assert game.position == before
    assert game.redo() == move
    assert game.moves[-2:] == [move, PASS]
    assert game.position.legal_moves


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_passes_may_be_written_or_left_out(variant: Variant, line: list[int]) -> None:
    named = [square_name(move) for move in line]
    without = [move for move in line if move != PASS]
    whole = Game.from_moves(line, variant)
    assert whole.moves == line
    assert Game.from_moves(without, variant).moves == line
    assert Game.from_moves(named, variant).moves == line
    assert whole.transcript == "".join(square_name(move) for move in without)
    for sign in ("pass", "PASS", "pa", "PA", "ps", "--"):
        text = " ".join(sign if name == "pass" else name for name in named)
        assert Game.from_transcript(text, variant).moves == line
        assert Game.from_transcript(text.replace(" ", ""), variant).moves == line


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_a_pass_written_twice_is_refused(variant: Variant, line: list[int]) -> None:
    ply = line.index(PASS)
    with pytest.raises(ValueError, match=f"^move {ply + 2}: pass is not legal"):
        Game.from_moves([*line[: ply + 1], PASS, *line[ply + 1 :]], variant)


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_the_moves_of_a_game_can_be_pushed_one_by_one_passes_too(variant: Variant, line: list[int]) -> None:
    game = Game(variant)
    for move in line:
        assert game.push(move, text=str(move)).move == move
    assert game.moves == line
    assert all(node.text == str(node.move) for node in game.line)


def test_a_game_that_begins_with_a_forced_pass() -> None:
    start = Position.from_text("-OXX XXXX XXXX XXO- O")
    game = Game(start)
    assert (game.start, game.moves, game.position.turn) == (start, [PASS], Color.BLACK)
    assert game.peek() is None
    with pytest.raises(ValueError, match="no move to take back"):
        game.pop()
    assert game.moves == [PASS]
    for moves in (["a1"], ["pass", "a1"]):
        assert Game.from_moves(moves, start).moves == [PASS, 0, PASS]


# Moves from elsewhere


def some_passes_left_out(line: list[int], told: bytes) -> list[tuple[int, Color]]:
    """The moves with their colours; each byte says whether the next pass is among them."""
    found, passes = [], iter(told)
    for ply, move in enumerate(line):
        if move != PASS or next(passes, 0) % 2:
            found.append((move, Color(ply % 2)))
    return found


@given(lines(), st.binary(max_size=12))
def test_a_game_is_the_same_whichever_passes_are_told(case: tuple[Variant, list[int]], told: bytes) -> None:
    variant, line = case
    whole = Game.from_moves(line, variant)
    moves = some_passes_left_out(line, told)
    assert Game.from_moves([move for move, _ in moves], variant).moves == whole.moves
    for make in (Replay, NumberedReplay, Moves):
        plain, coloured = make(Game(variant)), make(Game(variant))
        for move, color in moves:
            for node in (plain.play(move), coloured.play(move, color)):
                assert (node.move, node.mover) == (move, color), "the node is that of the move, not of a pass after it"
        assert plain.game.moves == coloured.game.moves == whole.moves
        assert plain.turn is coloured.turn


@given(lines())
def test_elsewhere_sides_take_turns(case: tuple[Variant, list[int]]) -> None:
    """Told every pass, whoever is to move is who moves next; and each pass can be taken back alone."""
    variant, line = case
    moves, turns = Moves(Game(variant)), []
    for ply, move in enumerate(line):
        turns.append(moves.turn)
        assert moves.turn is Color(ply % 2)
        assert moves.pass_is_due == (move == PASS)
        moves.play(move)
    for turn in reversed(turns):
        moves.undo()
        assert moves.turn is turn
    assert moves.game.node is moves.game.root


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS)
def test_a_pass_belongs_to_the_side_that_has_no_move(variant: Variant, line: list[int]) -> None:
    game, move = before_the_pass(variant, line)
    mover = game.position.turn
    replay = Replay(game)
    replay.play(move, mover)
    with pytest.raises(ValueError, match=r"^pass is not legal"):
        replay.play(PASS, mover)
    with pytest.raises(ValueError, match=f"^{mover.other} plays {square_name(move)}, but must pass$"):
        replay.play(move, mover.other)
    assert replay.play(PASS, mover.other).mover is mover.other
    with pytest.raises(ValueError, match=f"^{mover.other} plays pass, but {mover} is to move$"):
        replay.play(PASS, mover.other)


# Branches


def test_what_was_taken_back_stays_as_a_branch() -> None:
    game = Game.from_transcript("f5d6c3")
    game.pop()
    game.push("c5")
    assert game.transcript == "f5d6c5"
    assert [square_name(child.move or 0) for child in game.line[1].children] == ["c3", "c5"]


def test_playing_a_known_move_enters_its_branch_and_makes_no_second_one() -> None:
    game = Game.from_transcript("f5d6c3")
    first = game.node
    game.pop()
    game.push("c5")
    game.pop()
    assert game.push("c3") is first
    assert len(game.line[1].children) == 2


def test_redo_plays_the_branch_last_entered() -> None:
    game = Game()
    for move in ("f5", "d3", "f5"):
        game.push(move)
        game.pop()
    assert square_name(game.redo()) == "f5"
    game.goto(game.root.children[1])
    game.pop()
    assert square_name(game.redo()) == "d3"


def test_goto_moves_the_cursor_anywhere_in_the_tree() -> None:
    game = Game.from_transcript("f5d6c3d3")
    last = game.node
    game.goto(game.root)
    game.push("d3")
    assert game.transcript == "d3"
    game.goto(last)
    assert game.transcript == "f5d6c3d3"
    assert game.position == last.position
    game.goto(last.line()[1])
    assert game.transcript == "f5d6"
    assert square_name(game.redo()) == "c3"


def test_goto_refuses_the_node_of_another_game() -> None:
    game = Game()
    with pytest.raises(ValueError, match="another game"):
        game.goto(Game().root)
    with pytest.raises(ValueError, match="another game"):
        game.goto(Game.from_transcript("f5").node)


def test_nodes_are_the_main_line_first_and_then_its_branches() -> None:
    game = Game.from_transcript("f5d6c3")
    game.goto(game.root)
    game.push("d3")
    game.goto(game.root.children[0])
    game.push("f6")
    names = [None if node.move is None else square_name(node.move) for node in game.nodes()]
    assert names == [None, "f5", "d6", "c3", "f6", "d3"]


@given(games(), st.data())
def test_every_node_knows_its_line_and_mover(game: Game, data: st.DataObject) -> None:
    if game.peek() is not None and data.draw(st.booleans()):
        game.pop()
        other = data.draw(st.sampled_from(game.position.legal_moves))
        game.push(other)
    for node in game.nodes():
        position = game.start
        for step in node.line():
            assert step.mover is position.turn
            assert step.move is not None
            position = position.play(step.move)
        assert node.position == position
    assert game.root.mover is None


# Comments


def test_a_move_carries_what_its_player_said() -> None:
    game = Game()
    node = game.push("f5", score=-1.5, seconds=0.25, text="book")
    assert (node.score, node.seconds, node.text, node.mover) == (-1.5, 0.25, "book", Color.BLACK)
    plain = game.push("d6")
    assert (plain.score, plain.seconds, plain.text) == (None, None, "")


def test_a_comment_stays_unless_a_new_one_is_given() -> None:
    game = Game()
    game.push("f5", score=0.0, seconds=1.0, text="first thought")
    game.pop()
    node = game.push("f5", seconds=0.0)
    assert (node.score, node.seconds, node.text) == (0.0, 0.0, "first thought")


@pytest.mark.parametrize(("variant", "line"), WITH_A_PASS[:3])
def test_the_comment_belongs_to_the_move_and_not_to_the_pass_after_it(variant: Variant, line: list[int]) -> None:
    game, move = before_the_pass(variant, line)
    node = game.push(move, score=7, text="no answer")
    assert (node.move, node.score, node.text) == (move, 7, "no answer")
    assert (game.node.move, game.node.score, game.node.text) == (PASS, None, "")


# Transcripts


@given(games())
def test_a_transcript_leads_back_to_its_game(game: Game) -> None:
    for text in (game.transcript, game.transcript.upper()):
        assert Game.from_transcript(text, game.variant).moves == game.moves


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "f5 d6 c3 d3 c4",
        " f5d6\n\tc3 D3\r\nc4 \n",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5 2.d6 3.c3 4.d3 5.c4",
        "1. f5 1... d6 2. c3 2... d3 3. c4",
        "12 . f5d6c3d3c4",
    ],
)
def test_transcripts_as_people_write_them(text: str) -> None:
    assert Game.from_transcript(text).moves == squares("f5 d6 c3 d3 c4")


def test_an_empty_transcript_is_a_game_not_begun() -> None:
    assert Game.from_transcript(" \n").moves == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("f5d6c9", "transcript: 'c9' after 2 moves is not a move"),
        ("f5x6", "transcript: 'x6' after 1 moves is not a move"),
        ("hello world, how are you", "transcript: 'hello world,' after 0 moves"),
        ("f5d", "transcript: 'd' after 1 moves"),
        ("f5d6f5", "move 3: f5 is not legal: a black disc is already there"),
        ("f5a1", "move 2: a1 is not legal: White would turn no discs there"),
        ("f5--d6", "move 2: pass is not legal: White can play f4, d6, f6"),
        ("e4", "move 1: e4 is not legal: a black disc is already there"),
    ],
)
def test_a_wrong_transcript_says_where_and_why(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        Game.from_transcript(text)
    assert "\n" not in str(refusal.value)


def test_an_illegal_move_is_named_with_its_ply() -> None:
    line = random_line(OTHELLO, Random(4).randbytes(80))[1]
    assert PASS not in line[:40]
    right, wrong = line[:36], line[10]
    for named in (wrong, square_name(wrong)):
        with pytest.raises(ValueError, match=f"^move 37: {square_name(wrong)} is not legal: a (black|white) disc"):
            Game.from_moves([*right, named])
    with pytest.raises(ValueError, match=f"^move 37: {square_name(wrong)} is not legal"):
        Game.from_transcript("".join(map(square_name, [*right, wrong, *line[36:]])))


def test_a_move_after_the_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^move 10: a1 is not legal: the game is over"):
        Game.from_transcript(WIPE_OUT + "a1")


# Results


def test_the_perfect_6x6_game_is_won_by_white_20_to_16() -> None:
    game = Game.from_transcript(PERFECT_6X6, Variant(6, 6))
    assert game.is_over
    assert [game.position.count(color) for color in Color] == [16, 20]
    assert game.outcome() == Outcome(Color.WHITE, -4)


@pytest.mark.parametrize(("name", "winner", "score"), [("othello", Color.BLACK, 64), ("reversed", Color.WHITE, -64)])
def test_a_wipe_out_counts_every_square(name: str, winner: Color, score: int) -> None:
    assert Game.from_transcript(WIPE_OUT, Variant.named(name)).outcome() == Outcome(winner, score)


@given(games())
def test_the_result_is_that_of_the_last_position(game: Game) -> None:
    assert game.outcome() == game.position.outcome()
    assert game.is_over == (game.outcome() is not None)


def test_resigning_gives_the_game_to_the_other_side() -> None:
    game = Game.from_transcript("f5")
    game.resign()
    assert game.is_over
    assert game.outcome() == Outcome(Color.BLACK, None, "White resigned")
    game = Game.from_transcript("f5")
    game.resign(Color.BLACK)
    assert game.outcome() == Outcome(Color.WHITE, None, "Black resigned")


def test_a_side_may_be_given_as_its_number() -> None:
    game = Game.from_transcript("f5")
    game.resign(0)  # type: ignore[arg-type]
    outcome = game.outcome()
    assert outcome is not None and outcome.winner is Color.WHITE and str(outcome) == "White wins (Black resigned)"
    game.end(0, "agreed")  # type: ignore[arg-type]
    outcome = game.outcome()
    assert outcome is not None and outcome.winner is Color.BLACK and "Black wins" in str(outcome)
    corner = Position.from_text("XX--" + "----" * 3 + " X")
    assert corner.stable(0) == corner.stable(Color.BLACK) != 0 == corner.stable(1)  # type: ignore[arg-type]
    for wrong in ("black", 2, None):
        for asked in (corner.count, corner.stable):
            with pytest.raises(ValueError, match=r"a side is Color.BLACK or Color.WHITE, or 0 or 1, not"):
                asked(wrong)  # type: ignore[arg-type]


def test_no_move_follows_a_resignation_until_it_is_taken_back() -> None:
    game = Game.from_transcript("f5d6")
    game.resign()
    with pytest.raises(ValueError, match=r"the game is over: White wins \(Black resigned\)"):
        game.push("c3")
    assert square_name(game.pop()) == "d6"
    assert game.outcome() is None
    game.push("d6")
    assert game.transcript == "f5d6"


def test_a_finished_game_cannot_be_resigned() -> None:
    game = Game.from_transcript(WIPE_OUT)
    with pytest.raises(ValueError, match="the game is over: Black wins by 64"):
        game.resign()
    assert game.outcome() == Outcome(Color.BLACK, 64)


def test_a_game_can_end_in_an_agreed_draw_or_a_forfeit() -> None:
    game = Game()
    game.end(None, "agreed")
    assert game.outcome() == Outcome(None, None, "agreed")
    game.goto(game.root)
    game.end(Color.WHITE, "Black ran out of time")
    assert str(game.outcome()) == "White wins (Black ran out of time)"


# The rest


def test_tags_are_the_games_own() -> None:
    tags = {"event": "club evening"}
    game = Game(OTHELLO, tags)
    tags["event"] = "changed"
    assert game.tags == {"event": "club evening"}
    game.tags["black"] = "Ada"
    assert Game().tags == {}


@given(variants)
def test_a_game_knows_its_variant(variant: Variant) -> None:
    assert Game(variant).variant == variant


def test_a_game_describes_itself_in_a_line() -> None:
    assert repr(Game.from_transcript("f5d6")) == "<Game othello: 2 plies, Black to move>"
    assert repr(Game.from_transcript(WIPE_OUT)) == "<Game othello: 9 plies, Black wins by 64>"


def test_nodes_print_without_their_tree() -> None:
    game = Game.from_transcript("f5d6c3")
    assert isinstance(game.node, Node)
    assert repr(game.node).count("Node(") == 1


@given(games())
def test_the_game_so_far_is_the_line_alone_and_does_not_change_with_it(game: Game) -> None:
    seen = game.so_far()
    assert seen.moves == game.moves == Game.from_moves(game.moves, game.start).moves
    assert [node.position for node in seen.line] == [node.position for node in game.line]
    assert (seen.position, seen.outcome(), seen.tags) == (game.position, game.outcome(), game.tags)
    assert len(list(seen.nodes())) <= len(game.line) + 1
    before = game.moves
    if game.peek() is not None:
        game.pop()
    assert seen.moves == before
