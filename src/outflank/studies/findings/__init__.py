"""Findings: the questions that the five reports ask, played out, and what came of it.

A question is data: who asks it, the meetings it needs, and a function that turns their outcomes into an answer.
`evidence` plays meetings into a store and reads them from it, `catalogue` has every question, `document` writes the
answers down. Nothing but the store is remembered, so a killed run goes on where it was.
"""
