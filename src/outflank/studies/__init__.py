"""Studies: what somebody finds out with Outflank, written on its public interface only (docs/python.md).

`findings` plays out the questions of the five reports; `console` is the screen of one of them.
"""
