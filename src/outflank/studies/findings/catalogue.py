"""Every question, in the order of the document."""

from outflank.studies.findings import ablations, heuristics, players, searches
from outflank.studies.findings.question import Question

QUESTIONS = {
    question.name: question
    for question in (
        players.LADDER,
        players.LADDER_IN_TIME,
        players.RANDOM,
        players.FIRST,
        heuristics.CROSS_TABLE,
        heuristics.PRINTED_TABLE,
        heuristics.COMBINED_STATIC,
        searches.ALPHABETA_OR_MONTE_CARLO,
        searches.NODES,
        searches.SIMULATIONS,
        searches.TREE_OR_PLAIN,
        searches.CUT_OR_FULL,
        searches.DEPTH,
        ablations.CORNER_WEIGHT,
        ablations.TERMS_OF_CORNER_SHY,
        ablations.POTENTIAL_LIBERTY,
        ablations.WEIGHTS_ONLY,
        heuristics.BEST_EVALUATION,
        heuristics.BOTH_HAVE_CORNERS,
    )
}


def chosen(names: list[str]) -> list[Question]:
    """The questions of these names, all where there are none."""
    for name in names:
        if name not in QUESTIONS:
            raise ValueError(f"there is no question {name!r}: they are {', '.join(QUESTIONS)}")
    return [question for name, question in QUESTIONS.items() if name in names or not names]
