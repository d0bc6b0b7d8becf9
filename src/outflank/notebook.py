"""Display in notebooks: tables, and a board to step through. Plain HTML, without third-party scripts."""

import json
from collections.abc import Sequence
from html import escape

CELL = "text-align:left;vertical-align:top;padding:0 12px 0 0"
STEP = (
    "const g=this.closest('.outflank-game'),s=JSON.parse(g.dataset.steps)[+this.value];"
    "g.querySelectorAll('[data-disc]').forEach((c,i)=>{const m=s[0][i];c.style.display=m==='-'?'none':'';"
    "c.setAttribute('fill',`url(#outflank-${m==='X'?'black':'white'})`)});"
    "const d=g.querySelector('[data-last]');d.style.display=s[1]?'':'none';"
    "if(s[1]){d.setAttribute('cx',s[1][0]);d.setAttribute('cy',s[1][1])}"
    "g.querySelector('output').textContent=s[2];"
)
"""What the slider does when it is moved: the handler holds all of it, since notebooks run handlers and lose scripts."""
PUSH = "const r=this.parentNode.querySelector('input');r.value=+r.value{by};r.dispatchEvent(new Event('input'));"


def table(head: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A table; cells are text, not HTML."""
    title = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def beside(*parts: str) -> str:
    """Parts next to each other, as far as there is room."""
    cells = "".join(f'<div style="{CELL}">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap">{cells}</div>'


def stepper(picture: str, steps: Sequence[tuple[str, tuple[int, int] | None, str]], at: int) -> str:
    """A picture with a slider below it. Each step has the marks of the board, where the last move was, and a text; the
    picture shows step `at`, and goes on showing it where a notebook runs nothing."""
    data = escape(json.dumps(steps, separators=(",", ":")), quote=True)
    back, on = (
        f'<button type="button" aria-label="{name}" onclick="{escape(PUSH.format(by=by))}">{sign}</button>'
        for name, by, sign in (("back", "-1", "◀"), ("forward", "+1", "▶"))
    )
    slider = (
        f'<input type="range" min="0" max="{len(steps) - 1}" value="{at}" style="width:260px" aria-label="move"'
        f' oninput="{escape(STEP)}">'
    )
    return (
        f'<div class="outflank-game" data-steps="{data}">{picture}'
        f"<div>{back}{slider}{on}</div><output>{escape(steps[at][2])}</output></div>"
    )
