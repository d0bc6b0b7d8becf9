"""A network of your own: copy this file, change it, train it and play it.

    python examples/network.py --rounds 20 --out net.npz
    outflank match puct:examples/network.py,weights=net.npz,playouts=100 mcts:playouts=100 --variant 6x6 --games 100

It learns 6x6 Othello in AlphaZero's way, with NumPy alone. First a value, from random games: a `BatchEnv` plays
thousands of them at once. Then, round by round, a policy and a better value from games against itself: every move is
searched with the network, the policy learns how often the search tried each move, and the value who won.

With PyTorch or JAX you would write `Layers` and `Network` in fewer lines; `load` stays as it is: it gives `outflank` a
function from planes and masks to logits and values.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from outflank import Limit, NetworkOptions, NetworkSearch, match
from outflank.env import BatchEnv, transform_planes, transform_policies

VARIANT = "6x6"
SYMMETRIES = 8
HIDDEN = 128
RATE = 2e-3
SAMPLED = 12  # plies in which a move is drawn from the visits; later the move tried most is played
WINDOW = 4  # rounds that are learnt from


class Layers:
    """Two hidden layers and what comes out of them, with gradient descent by Adam."""

    def __init__(self, inputs, outputs, dice):
        sizes = [inputs, HIDDEN, HIDDEN, outputs]
        self.parameters = []
        for before, after in pairwise(sizes):
            weight = dice.standard_normal((before, after)) * np.sqrt(2 / before)
            self.parameters += [weight.astype(np.float32), np.zeros(after, np.float32)]
        self.parameters[4] *= 0.1  # nearly no opinion at first
        self._moments = [(np.zeros_like(one), np.zeros_like(one)) for one in self.parameters]
        self._steps = 0

    def forward(self, planes):
        """What every layer gives, the input first."""
        found = [planes.reshape(len(planes), -1).astype(np.float32)]
        for number in range(3):
            after = found[-1] @ self.parameters[2 * number] + self.parameters[2 * number + 1]
            found.append(after if number == 2 else np.maximum(after, 0))
        return found

    def descend(self, layers, slope, rate):
        """A step downhill, given the slope of the loss in what came out."""
        slopes = []
        for number in (2, 1, 0):
            slopes = [layers[number].T @ slope, slope.sum(axis=0), *slopes]
            slope = (slope @ self.parameters[2 * number].T) * (layers[number] > 0)
        self._steps += 1
        fair = rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for parameter, change, (mean, square) in zip(self.parameters, slopes, self._moments, strict=True):
            mean += 0.1 * (change - mean)
            square += 0.001 * (change**2 - square)
            parameter -= (fair * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


class Network:
    """A policy and a value, with layers of their own."""

    def __init__(self, inputs, actions, seed=0):
        dice = np.random.default_rng(seed)
        self.policy, self.value = Layers(inputs, actions, dice), Layers(inputs, 1, dice)

    def evaluate(self, planes, masks):
        """What a search asks: logits and values."""
        if planes[0].size != len(self.policy.parameters[0]):
            raise ValueError("the network was trained on another board: name that one with --variant")
        return self.policy.forward(planes)[-1], np.tanh(self.value.forward(planes)[-1][:, 0])

    def learn(self, planes, policies, results, rate):
        """A step towards these policies and results; rows without a policy teach the value only. Gives the value's
        mean square error."""
        layers = self.value.forward(planes)
        errors = np.tanh(layers[-1][:, 0]) - results
        self.value.descend(layers, errors[:, None] / len(results), rate)  # the logistic loss
        layers = self.policy.forward(planes)
        slope = policies.sum(axis=1, keepdims=True) * softmax(layers[-1]) - policies
        self.policy.descend(layers, slope / len(results), rate)
        return float(np.mean(errors**2))

    def save(self, path):
        with Path(path).open("wb") as file:
            np.savez(file, *self.policy.parameters, *self.value.parameters)


def load(path):
    """The evaluator of a file that `save` wrote: what `puct:examples/network.py,weights=FILE` calls."""
    with np.load(path) as file:
        parameters = [file[name] for name in file.files]
    network = Network(len(parameters[0]), len(parameters[5]))
    network.policy.parameters, network.value.parameters = parameters[:6], parameters[6:]
    return network.evaluate


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def by_chance(env, going, ply):
    """No policy to learn from, and random actions."""
    return np.zeros((len(going), env.actions), np.float32), env.random_actions()[going].copy()


def by_search(network, playouts, seed):
    """A player of whole batches that searches every move with the network."""
    options = NetworkOptions(batch=8, noise=0.25, reuse=False, memory=4)
    search, dice = NetworkSearch(network.evaluate, options, seed), np.random.default_rng(seed)

    def choose(env, going, ply):
        policies, actions = np.zeros((len(going), env.actions), np.float32), np.full(len(going), env.actions - 1)
        for row, game in enumerate(going):
            if env.masks[game, -1]:
                continue  # a pass: there is nothing to search
            search.seed = int(dice.integers(1 << 32))
            report = search.run(env.position(int(game)), Limit(playouts=playouts))
            actions[row] = env.action(report.move)
            if report.exact:  # proven: visits say nothing more
                policies[row, actions[row]] = 1
                continue
            policies[row] = search.visits() / search.visits().sum()
            if ply < SAMPLED:
                actions[row] = dice.choice(env.actions, p=search.visits() / search.visits().sum())
        return policies, actions

    return choose


def play(env, choose):
    """All games of a batch to their end: planes, policies, and how each game ended for who was to move."""
    env.reset()
    seen, ply = [], 0
    results = np.zeros((env.games, 2), np.float32)
    while not env.terminated.all():
        going = np.flatnonzero(~env.terminated)
        planes, movers = env.observations[going], env.turns[going]
        policies, chosen = choose(env, going, ply)
        actions = np.zeros(env.games, np.int64)  # in games that are over any action will do
        actions[going] = chosen
        seen.append((planes, policies, going, movers))
        env.step(actions)
        results[going] += env.rewards[going]
        ply += 1
    planes, policies, games, movers = (np.concatenate(column) for column in zip(*seen, strict=True))
    return planes, policies, results[games, movers]


def fit(network, data, passes, rate, dice):
    """Learns from positions, each in one of its symmetric forms, by chance."""
    planes, policies, results = (np.concatenate(column) for column in zip(*data, strict=True))
    errors = []
    for _ in range(passes):
        for rows in np.array_split(dice.permutation(len(results)), max(len(results) // 256, 1)):
            which = dice.integers(SYMMETRIES, size=len(rows))
            turned = transform_planes(planes[rows], VARIANT, which)
            errors.append(
                network.learn(turned, transform_policies(policies[rows], VARIANT, which), results[rows], rate)
            )
    return np.mean(errors[-len(errors) // passes :])


def train(random, rounds, games, playouts, seed):
    dice = np.random.default_rng(seed)
    env = BatchEnv(random, VARIANT, autoreset=False, seed=seed)
    network = Network(env.observations[0].size, env.actions, seed)
    error = fit(network, [play(env, by_chance)], 2, RATE, dice)
    print(f"{random:,} random games: error of the value {error:.3f}", flush=True)
    env = BatchEnv(games, VARIANT, autoreset=False, openings=2, seed=seed)
    kept = []
    for number in range(rounds):
        kept = [*kept, play(env, by_search(network, playouts, seed + number))][-WINDOW:]
        error = fit(network, kept, 4, RATE * (1 - 0.9 * number / rounds), dice)
        print(f"round {number + 1}: {(number + 1) * games:,} games, error of the value {error:.3f}", flush=True)
    return network


def main():
    options = argparse.ArgumentParser(description="Trains a small network on 6x6 and plays it in the arena.")
    options.add_argument("--random", type=int, default=10_000, help="Random games to begin with.")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--games", type=int, default=100, help="Games against itself in a round.")
    options.add_argument("--playouts", type=int, default=40, help="Simulations for a move of theirs.")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", default="net.npz")
    options.add_argument("--match", type=int, default=100, help="Games in the arena afterwards.")
    given = options.parse_args()
    train(given.random, given.rounds, given.games, given.playouts, given.seed).save(given.out)
    player, other = f"puct:{__file__},weights={given.out},playouts=50,batch=8", "mcts:playouts=50"
    result = match(player, other, games=given.match, variant=VARIANT, seed=given.seed)
    print(f"{result.games} games against {other}: {100 * result.score:.1f} % of the points")


if __name__ == "__main__":
    main()
