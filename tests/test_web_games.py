"""My games: every game is kept for whoever played it, also the one that a new one took the place of."""

from pathlib import Path
from typing import Any

from serving import Server

from outflank import Game


def kept(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get("/api/games")["games"]
    return found


def test_a_new_game_leaves_the_one_before_where_it_can_be_found(tmp_path: Path) -> None:
    with Server(tmp_path / "state") as server:
        identity = server.new_board(white="human", moves="f5d6c3")
        server.new_board()  # nothing was played there: it is no game
        with server.board(identity) as board:
            assert [game["id"] for game in kept(server)] == [identity]
            state = board.ask("new", moves="")
            previous = state["previous"]
            assert previous != identity and not board.moves
            (game,) = kept(server)
            assert (game["id"], game["moves"], game["opening"]) == (previous, 3, "Perpendicular")
            assert game["board"] == Game.from_transcript("f5d6c3").position.text[:-2]
            board.play("f5")
        assert {game["id"] for game in kept(server)} == {identity, previous}
        with server.board(previous) as board:
            assert board.moves == "f5d6c3"
        assert server.http.delete(f"/api/games/{previous}").status_code == 204
        assert [game["id"] for game in kept(server)] == [identity]
    with Server(tmp_path / "state") as server:
        assert [game["id"] for game in kept(server)] == [identity]


def test_games_come_newest_first_and_in_pages(tmp_path: Path) -> None:
    with Server(tmp_path / "state") as server:
        boards = [server.new_board(moves="f5", kind="analysis") for _ in range(50)]
        first = server.get("/api/games")
        rest = server.get("/api/games", before=first["games"][-1]["touched"])
        assert first["more"] and not rest["more"]
        assert [game["id"] for game in first["games"] + rest["games"]] == boards[::-1]
        assert {game["kind"] for game in first["games"]} == {"analysis"}
