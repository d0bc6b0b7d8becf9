"""A game in a notebook: its slider in a real browser."""

from playwright.sync_api import Browser

from outflank import Color, Game


def test_the_slider_steps_through_the_game(chromium: Browser) -> None:
    game = Game.from_transcript("f5d6c3d3c4")
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(game._repr_html_() + game._repr_html_())
    first = page.locator(".outflank-game").first
    slider, said = first.locator("input"), first.locator("output")
    discs = "nodes => nodes.filter(node => node.style.display !== 'none').length"

    def count() -> object:
        return first.locator("[data-disc]").evaluate_all(discs)

    assert count() == 9 and "5. Black c4" in said.inner_text()
    slider.fill("1")
    assert count() == 5 and said.inner_text() == "1. Black f5; Black 4, White 1; White to move"
    first.get_by_label("forward").click()
    assert count() == 6 and "2. White d6" in said.inner_text()
    first.get_by_label("back").click()
    first.get_by_label("back").click()
    assert count() == 4 and not first.locator("[data-last]").is_visible()
    white = first.locator("[data-disc]").evaluate_all(
        "nodes => nodes.filter(n => n.style.display !== 'none' && n.getAttribute('fill').includes('white')).length"
    )
    assert white == game.start.count(Color.WHITE)
    other = page.locator(".outflank-game").last
    assert "5. Black c4" in other.locator("output").inner_text(), "each has its own"
    assert complaints == []
    page.close()
