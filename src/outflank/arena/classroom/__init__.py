"""A class in one command: who handed in what (`roll`), is it in order (`checks`), who beats whom (`course`), and what
each student is told (`gradebook`, `advice`, `alike`; `web.classroom` writes the pages)."""
