"""Every question, in the order of the document."""

from outflank.studies.findings import ablations, heuristics, players, searches
from outflank.studies.findings.question import Question

QUESTIONS = {
    question.name: question
    for question in (
        players.ladder,
        players.ladder_in_time,
        players.against_random,
        players.first_move,
        heuristics.cross_table,
        heuristics.printed_table,
        heuristics.combined_static,
        searches.equal_time,
        searches.nodes,
        searches.simulations,
        searches.tree_or_plain,
        searches.cut_or_full,
        searches.depth,
        ablations.corner_weight,
        ablations.corner_shy_terms,
        ablations.potential_liberty,
        ablations.weights_only,
        heuristics.evaluations,
        heuristics.both_have_corners,
    )
}


def chosen(names: list[str]) -> list[Question]:
    """The questions of these names, all where there are none."""
    for name in names:
        if name not in QUESTIONS:
            raise ValueError(f"there is no question {name!r}: they are {', '.join(QUESTIONS)}")
    return [question for name, question in QUESTIONS.items() if name in names or not names]
