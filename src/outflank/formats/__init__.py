"""Exchange formats, one module each, over text or bytes; `files` knows paths, `detect` takes anything pasted.

A reader raises ValueError with one line that says what is wrong and where. A writer refuses in one line
what its format cannot hold. Tags of a game have the same names in all of them: Black, White, Event, Site,
Date, BlackRating, WhiteRating, Clock, …; docs/formats.md lists them.
"""
