"""Paste anything: `detect` recognizes the format of a text or of bytes, reads them, and names the format."""

import io
import re
from dataclasses import replace
from typing import get_args
from unicodedata import normalize
from urllib.parse import unquote_plus

from outflank.board.game import Game
from outflank.board.variant import OTHELLO, Start, Variant
from outflank.errors import Fault
from outflank.formats import arrays, gam, transcript, wthor
from outflank.formats.reading import READERS, Detected, as_text, moves_of, of_games, read_as, unpacked
from outflank.formats.starts import description

TREE = re.compile(r"\(\s*;")
GAME_NAME = re.compile(r"GM\s*\[\s*([^\]\s]{0,20})")
BOARD_FIELD = re.compile(r"[Xx*bBOowW.\s-]{16,4096};")
LINK = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.)\S{1,4096}\s*")
LINK_TURN = re.compile(
    r"[?&#](?:turn|player|side|to_?move|colou?r|next)=(black|white|[xobw*])(?:[&#]|$)", re.IGNORECASE
)
SQUARE = re.compile(r"[a-hA-H][1-8]")
BETWEEN = re.compile(r"(?<=[a-hA-H][1-8])\s*(?:->|[-–—,;/→|])\s*(?=[a-hA-H][1-8])")
"""What people write between two moves. Full-width letters and digits, usual in East Asian texts, count as others do."""
MOVES = re.compile(r"\s*(?:\d+\s*[.)]?\s*)?(?:[a-hA-H][1-8]|pass\b)")
HEADER = 10
"""Lines that may stand above a transcript: who played, where and when."""
BOARD_SIGNS = frozenset("-.*XOxo|+●○⚫⚪·")


def detect(source: str | bytes, variant: str | Variant | None = None) -> Detected:
    """Takes a pasted text or a file's bytes for what they are; the variant is tried first where none is named.

    When nothing fits, the ValueError describes the nearest miss.
    """
    if not isinstance(source, str | bytes):
        raise Fault("paste.kind", kind=type(source).__name__)
    if isinstance(source, bytes):
        source = unpacked(source)
        if wthor.is_likely(source):
            return read_as("names" if not wthor.Header.read(source).games else "wthor", source)
        source = as_text(source)
    source = source.strip("\ufeff`'\"")  # what chats and shells put around a text
    if not source.strip():
        raise Fault("paste.empty")
    return _of_text(source, None if variant is None else Variant.named(variant))


def _of_text(text: str, variant: Variant | None) -> Detected:
    """Formats with a signature first, then boards and transcripts, which are tried in turn."""
    beginning = text[:8192].lstrip()
    if beginning.startswith("<"):
        return READERS["svg"](text, variant)
    if TREE.search(beginning):
        named = GAME_NAME.search(text)
        is_sgf = named[1].isdigit() if named else "BO[" not in text
        return READERS["sgf" if is_sgf else "ggf"](text, variant)
    if arrays.START.match(beginning):
        return READERS["array"](text, variant)
    if gam.START.match(beginning):
        return READERS["gam"](text, variant)
    first = _first_line(text)
    if BOARD_FIELD.match(first):
        return READERS["obf"](text, _fitting(first.partition(";")[0], variant))
    if LINK.fullmatch(text):
        return _link(text, variant)
    return _board_or_transcript(text, variant)


def _first_line(text: str) -> str:
    """The first line that is neither empty nor a comment of OBF; a large text is not split for its sake."""
    lines = (line.strip() for line in io.StringIO(text))
    return next((line for line in lines if line and not line.startswith("%")), "")


def _board_or_transcript(text: str, variant: Variant | None) -> Detected:
    sample = [sign for sign in text[:4096] if not sign.isspace()]
    like_a_board = 2 * sum(sign in BOARD_SIGNS for sign in sample) >= len(sample)
    like_a_transcript = SQUARE.search(text[:4096]) is not None
    readers = (_board, _transcript) if like_a_board else (_transcript, _board)
    errors: list[ValueError] = []
    for reader in readers:
        try:
            return reader(text, variant)
        except ValueError as error:
            errors.append(error)
    if like_a_board or like_a_transcript:
        raise errors[0]
    shown = " ".join(text[:30].split())
    raise Fault("paste.unknown", text=shown) if shown.isprintable() else Fault("paste.unknown-bytes")


def _board(text: str, variant: Variant | None) -> Detected:
    return READERS["board"](text, _fitting(text, variant) if len(text.splitlines()) == 1 else variant)


def _fitting(text: str, variant: Variant | None) -> Variant | None:
    """The variant hinted at where the board text has its number of squares, else the square one that has it."""
    marks = sum(not sign.isspace() for sign in text[:4096])
    if variant is None or marks in (variant.square_count, variant.square_count + 1):
        return variant
    sizes = (Variant(size, size, variant.objective) for size in range(4, 9))
    return next((shape for shape in sizes if marks in (shape.square_count, shape.square_count + 1)), variant)


def _transcript(text: str, variant: Variant | None) -> Detected:
    """One game, on one line or more, or one game per line. Legality decides the board and the start."""
    text = _without_header(text)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(text) > transcript.LONGEST and len(lines) > 1:
        return of_games("transcript", transcript.read(text, _likeliest(lines[0], variant).variant))
    try:
        game = _likeliest(text, variant)
    except ValueError as as_one_game:
        if len(lines) < 2:
            raise
        first = _likeliest(lines[0], variant)
        try:
            return of_games("transcript", transcript.read(text, first.variant))
        except ValueError:
            if _ply(as_one_game) > len(first.moves) + 1:  # it went on well into the second line
                raise as_one_game from None
            raise
    return Detected("transcript", f"a transcript of {moves_of(game)}", [game])


def _without_header(text: str) -> str:
    """A transcript from the first line on that begins with a move; as it is where none does."""
    for number, line in enumerate(io.StringIO(normalize("NFKC", text[:8192]))):
        if number > HEADER:
            break
        if MOVES.match(line):
            return "".join(text.splitlines(keepends=True)[number:]) if number else text
    return text


def _likeliest(text: str, variant: Variant | None) -> Game:
    """The game of a transcript under the first variant in which it is legal, or the error of the longest try."""
    if len(text) > transcript.LONGEST:
        raise Fault("transcript.too-long", count=len(text))
    plain = BETWEEN.sub(" ", normalize("NFKC", text))
    hint = variant or OTHELLO
    sizes = [(hint.rows, hint.columns)] + [(size, size) for size in (8, 6, 4, 7, 5)]
    tries = [hint, *(Variant(*size, hint.objective, start) for size in sizes for start in get_args(Start))]
    misses = []
    for candidate in dict.fromkeys(tries):
        try:
            return Game.from_transcript(plain, candidate)
        except ValueError as error:
            if not _ply(error):
                Game.from_transcript(text, candidate)  # to tell it in the text's own words
                raise
            misses.append(Fault("transcript.illegal", variant=description(candidate), why=error))
    raise max(misses, key=_ply)


def _ply(error: ValueError) -> int:
    """The ply that a replay failed at, or 0."""
    reason: object = error
    while isinstance(reason, Fault):
        if reason.code == "at.move":
            ply = reason.params["number"]
            assert isinstance(ply, int)
            return ply
        reason = reason.params.get("why")
    return 0


def _link(text: str, variant: Variant | None) -> Detected:
    """The longest part of a link that is a transcript or a board."""
    link = unquote_plus(text.strip())
    parts = {"".join(part.split()) for part in re.split(r"[?&#=/;,]+", link)}
    errors: list[ValueError] = []
    for part in sorted(parts, key=lambda part: (-len(part), part)):
        if part and transcript.PLAIN.fullmatch(part):
            reader = _transcript
        elif len(part) >= 16 and set(part) <= set("-.*XOxobBwW"):
            turn = LINK_TURN.search(link)
            side = "" if turn is None else "O" if turn[1].lower() in ("white", "o", "w") else "X"
            reader, part = _board, part + (side if len(part) in (16, 25, 36, 49, 64) else "")
        else:
            continue
        try:
            found = reader(part, variant)
        except ValueError as error:
            errors.append(error)
        else:
            return replace(found, kind=f"a link with {found.kind}")
    raise Fault("link.wrong", why=errors[0]) if errors else Fault("link.empty")
