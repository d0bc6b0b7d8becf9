"""A game and its states as OpenSpiel has them, for algorithms written for that interface: no OpenSpiel is needed.

Names, numbers and shapes are OpenSpiel's: players are 0 (Black) and 1, actions go row by row with the pass last, a
tensor is a flat list of floats in three planes: the empty squares, the player's discs, and the other side's.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outflank.board.planes import actions_by_square
from outflank.board.position import Position
from outflank.board.squares import Color, parse_square, square_name, squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.env.batch import action_of, square_of
from outflank.errors import Fault

TERMINAL = -4
"""What OpenSpiel calls the player to move when the game is over."""
TENSOR_PLANES = 3


class PlayerAction(NamedTuple):
    """An action, and whose it was."""

    player: int
    action: int


class SpielGame:
    """The rules: what `pyspiel.load_game` gives, for any variant."""

    def __init__(self, variant: str | Variant = OTHELLO) -> None:
        self.variant = Variant.named(variant)

    def new_initial_state(self) -> "SpielState":
        return SpielState(self, Position.start(self.variant))

    def new_initial_states(self) -> "list[SpielState]":
        """All there are: one."""
        return [self.new_initial_state()]

    def get_type(self) -> Any:
        """What kind of game it is, as OpenSpiel's own algorithms ask; they need OpenSpiel, and so does this."""
        try:
            return import_module("pyspiel").load_game("othello").get_type()
        except ModuleNotFoundError:
            raise Fault("env.not-installed", package="OpenSpiel", extra="oracle") from None

    def num_players(self) -> int:
        return 2

    def num_distinct_actions(self) -> int:
        return self.variant.square_count + 1

    def max_game_length(self) -> int:
        """Plies, passes among them: nobody passes twice without a move between."""
        return 2 * self.variant.square_count

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def utility_sum(self) -> float:
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        return [TENSOR_PLANES, self.variant.rows, self.variant.columns]

    def observation_tensor_size(self) -> int:
        return TENSOR_PLANES * self.variant.square_count

    information_state_tensor_shape = observation_tensor_shape
    information_state_tensor_size = observation_tensor_size

    def deserialize_state(self, text: str) -> "SpielState":
        """A state from what `SpielState.serialize` wrote: its actions."""
        state = self.new_initial_state()
        for action in text.split():
            state.apply_action(int(action) if action.isdecimal() else action)  # type: ignore[arg-type]  # refused there
        return state

    def action_to_string(self, player: int, action: int) -> str:
        """`d3` or `pass`."""
        return self.new_initial_state().action_to_string(player, action)

    def __str__(self) -> str:
        return f"othello({self.variant})"


class SpielState:
    """A state of a game. It changes: `apply_action` plays, `undo_action` takes back; `clone` and `child` copy."""

    def __init__(self, game: SpielGame, position: Position) -> None:
        self._game, self._position = game, position
        self._before: list[tuple[Position, int]] = []

    @property
    def position(self) -> Position:
        """The same as Outflank has it."""
        return self._position

    def get_game(self) -> SpielGame:
        return self._game

    def num_players(self) -> int:
        return 2

    def num_distinct_actions(self) -> int:
        return self._game.num_distinct_actions()

    def current_player(self) -> int:
        return TERMINAL if self.is_terminal() else int(self._position.turn)

    def is_initial_state(self) -> bool:
        return not self._before

    def is_terminal(self) -> bool:
        return self._position.is_over

    def is_chance_node(self) -> bool:
        return False

    def is_simultaneous_node(self) -> bool:
        return False

    def is_player_node(self) -> bool:
        return not self.is_terminal()

    def legal_actions(self, player: int | None = None) -> list[int]:
        """In order; the pass where nothing else is legal, nothing when the game is over or it is the other's turn."""
        if self.is_terminal() or (player is not None and player != self._position.turn):
            return []
        numbers = actions_by_square(self._position.variant)
        return [numbers[square] for square in self._position.legal_moves] or [self.num_distinct_actions() - 1]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask = [0] * self.num_distinct_actions()
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        before = self._position
        self._position = before.play(square_of(action, before.variant))
        self._before.append((before, int(action)))

    def apply_actions(self, actions: Iterable[int]) -> None:
        for action in actions:
            self.apply_action(action)

    def undo_action(self, player: int, action: int) -> None:
        """Takes the last action back; OpenSpiel wants to be told which it was and whose."""
        if not self._before or self._before[-1][1] != action or self._before[-1][0].turn != player:
            raise Fault("env.undo", action=action, player=player)
        self._position, _ = self._before.pop()

    def child(self, action: int) -> "SpielState":
        """The state after an action; this one does not change."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> "SpielState":
        copy = SpielState(self._game, self._position)
        copy._before = list(self._before)
        return copy

    __copy__ = clone

    def history(self) -> list[int]:
        """The actions so far."""
        return [action for _, action in self._before]

    def full_history(self) -> list[PlayerAction]:
        """The same with whose they were."""
        return [PlayerAction(int(position.turn), action) for position, action in self._before]

    def history_str(self) -> str:
        return ", ".join(map(str, self.history()))

    def move_number(self) -> int:
        return len(self._before)

    def returns(self) -> list[float]:
        """1 for the winner and -1 for the loser, under the objective; 0 before the end."""
        outcome = self._position.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner is Color.BLACK else [-1.0, 1.0]

    rewards = returns

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    player_reward = player_return

    def observation_tensor(self, player: int | None = None) -> list[float]:
        return [float(number) for number in self.tensor(player).ravel()]

    information_state_tensor = observation_tensor
    """The board says all that matters."""

    def tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """The three planes as an array; without a player, seen by the side to move."""
        position = self._position
        viewer = position.turn if player is None else Color(player)
        own, opp = (position.black, position.white) if viewer is Color.BLACK else (position.white, position.black)
        planes = np.zeros((TENSOR_PLANES, position.variant.square_count), np.float32)
        numbers = actions_by_square(position.variant)
        for plane, mask in zip(planes, (position.empty, own, opp), strict=True):
            plane[[numbers[square] for square in squares_of(mask)]] = 1.0
        return planes.reshape(self._game.observation_tensor_shape())

    def observation_string(self, player: int | None = None) -> str:
        return str(self)

    def information_state_string(self, player: int | None = None) -> str:
        return self.history_str()

    def action_to_string(self, first: int, action: int | None = None) -> str:
        """`d3` or `pass`; takes the action alone, or a player before it."""
        return square_name(square_of(first if action is None else action, self._position.variant))

    def string_to_action(self, first: int | str, text: str | None = None) -> int:
        return action_of(parse_square(str(first if text is None else text)), self._position.variant)

    def serialize(self) -> str:
        return "".join(f"{action}\n" for action in self.history())

    def __str__(self) -> str:
        return str(self._position)

    def __repr__(self) -> str:
        return f"SpielState({str(self._game)!r}, {self.history()})"
