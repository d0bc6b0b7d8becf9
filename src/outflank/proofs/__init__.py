"""Whole boards solved, so that anybody can check it: prover, certificate, and a checker that knows no engine."""
