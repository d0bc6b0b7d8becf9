"""How it thinks, on Play: what a player said of its move and what else it looked at, live while it thinks."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from browser.visitor import PHONE, Visitor, after

Visit = Callable[..., Visitor]
ENGLISH = ("How it thinks", "Best line")
CHINESE = ("它怎么想", "最佳变化")


def thinking(visitor: Visitor, name: str = ENGLISH[0]) -> Locator:
    visitor.page.get_by_role("tab", name=name).click()
    panel = visitor.page.locator("#play .thinking-panel")
    expect(panel).to_be_visible()
    return panel


def answered(visitor: Visitor, player: str) -> Visitor:
    visitor.sit_at(moves="f5d6c3d3", white=player)
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(4)
    visitor.play("c4")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(6)
    return visitor


@pytest.mark.parametrize(
    ("player", "facts"),
    [
        ("engine:level=8", r"Value[+−]?\d+ discs?Looked aheaddepth 2Positions[\d,]+Time.*Expects[a-h]\d "),
        ("minimax:depth=2", r"Value[+−][\d.k]+ points of its own evaluationLooked aheaddepth 2Positions\d+Time"),
        ("mini-go:mode=easy", r"Value\d+ % of its games wonPlayouts100Time.*It says.* tree nodes, [\d.]+ % expected"),
        ("random", r"Valuenone: it plays at random"),
    ],
)
def test_every_player_says_what_it_thought(visitor: Visitor, player: str, facts: str) -> None:
    panel = thinking(answered(visitor, player))
    expect(panel.locator(".facts")).to_have_text(re.compile(facts))
    expect(panel.locator(".facts")).not_to_contain_text("000000")


def test_candidates_have_their_values_and_their_shares_of_the_playouts(visitor: Visitor) -> None:
    panel = thinking(answered(visitor, "mini-go:mode=easy"))
    rows = panel.locator(".alternatives li")
    expect(rows.first).to_have_text(re.compile(r"^[a-h]\d\d+ %\d+ %$"))
    shares = [int(row.split()[-2]) for row in rows.all_inner_texts()]
    assert shares == sorted(shares, reverse=True) and 95 <= sum(shares) <= 105
    played = visitor.moves()[-2:]
    expect(panel.locator(".alternatives .chosen b")).to_have_text(played)


def test_a_search_that_prunes_shows_what_else_it_could_have_played(visitor: Visitor) -> None:
    panel = thinking(answered(visitor, "dynamic:depth=3"))
    rows = panel.locator(".alternatives li")
    expect(rows).to_have_count(len(after("f5d6c3d3c4").legal_moves))
    expect(rows.first).to_have_class("chosen")
    expect(rows.first).to_have_text(re.compile(rf"^{visitor.moves()[-2:]}[+−][\d.]+k?$"))


@pytest.mark.parametrize(("player", "told"), [("engine:level=4", True), ("engine:level=14", False)])
def test_a_level_that_errs_like_a_person_says_so(visitor: Visitor, player: str, told: bool) -> None:
    visitor.open()
    said = visitor.page.evaluate(
        """async by => {
            const { ThinkingPanel } = await import("/page/thinking.js");
            const panel = new ThinkingPanel(() => {}, () => {});
            const candidates = [{move: "d6", value: 14, visits: null}, {move: "c2", value: 9, visits: null}];
            const thought = {nodes: 9, selectivity: 73, pv: ["c2"], candidates};
            const show = move => {
                const score = candidates.find(each => each.move === move).value;
                const judged = {by, thought, score, unit: "discs", exact: false, depth: 1, seconds: 0.1};
                panel.show(judged, "Casual", move);
                return panel.facts.textContent;
            };
            return [show("c2"), show("d6")];
        }""",
        player,
    )
    assert ["misjudges" in each for each in said] == [told, False]


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(
    ("player", "unit"), [("engine:level=4", "disc"), ("dynamic:depth=2", "pts"), ("mcts:playouts=60", "wins")]
)
def test_a_players_value_has_its_unit_beside_its_name(
    visit: Visit, size: dict[str, Any], player: str, unit: str
) -> None:
    visitor = answered(visit(**size), player)
    said = visitor.page.locator("#play .seat.white .said")
    expect(said).to_contain_text(unit)
    assert said.evaluate("each => each.scrollWidth <= each.clientWidth"), "all of it is seen"


@pytest.mark.parametrize(("options", "words"), [({}, ENGLISH), ({**PHONE, "locale": "zh-CN"}, CHINESE)])
def test_the_line_it_expects_is_on_the_board_when_asked_for(
    visit: Visit, options: dict[str, object], words: tuple[str, str]
) -> None:
    visitor = answered(visit(**options), "engine:level=12")
    panel = thinking(visitor, words[0])
    line = str(panel.locator(".facts dd").nth(4).inner_text()).split()
    steps = visitor.page.locator("#play .cell.step")
    expect(steps).to_have_count(0)
    panel.get_by_role("button", name=words[1]).click()
    expect(steps).to_have_count(len(line) - 1)
    expect(visitor.square(line[1]).locator(".number")).to_have_text("1")
    visitor.page.get_by_role("tab").first.click()
    expect(steps).to_have_count(0)


def test_what_it_has_found_so_far_is_told_while_it_thinks(visitor: Visitor) -> None:
    visitor.sit_at(black="mcts:time=25", white="human")
    panel = thinking(visitor)
    expect(panel.locator(".thinker")).to_have_text(re.compile(r"mcts:time=25 looks at [a-h]\d"))
    expect(panel.locator(".alternatives li")).to_have_count(4)
    visitor.button("Move now").click()
    expect(panel.locator(".thinker")).to_have_text(re.compile("mcts:time=25 played"))


def test_stepping_back_shows_what_was_thought_then(visitor: Visitor) -> None:
    panel = thinking(answered(visitor, "engine:level=8"))
    played = visitor.moves()[-2:]
    expect(panel.locator(".thinker")).to_have_text(f"Club played {played}")
    visitor.page.locator("#play .status").click()
    visitor.page.keyboard.press("Home")
    expect(panel.locator(".thinker")).to_have_text(re.compile("^After the computer moves"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_where_a_player_is_looked_into(visit: Visit, theme: str) -> None:
    visitor = answered(visit(color_scheme=theme), "mini-go:mode=easy")
    panel, axe = thinking(visitor), Axe()

    def found() -> list[str]:
        broken = axe.run(visitor.page, options={"resultTypes": ["violations"]}).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html']}" for one in broken if one["impact"] in ("serious", "critical")]

    assert not found()
    panel.get_by_role("button", name="Take it apart").click()
    expect(visitor.page.locator("#lab .choice")).not_to_be_empty()
    assert not found()
    visitor.page.get_by_role("tab", name="Search tree").click()
    expect(visitor.page.locator("#lab .ucb caption")).to_contain_text("c = 0.1")
    visitor.page.get_by_role("slider", name="Step").fill("81")
    expect(visitor.page.locator("#lab .ucb tbody tr").first).to_be_visible()
    assert not found()
