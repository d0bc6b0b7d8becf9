"""A class in one command: who submitted what (`roll`), does it work (`checks`), who beats whom (`course`), and what
each student learns (`gradebook`, `advice`, `alike`; `web.classroom` writes the pages)."""
