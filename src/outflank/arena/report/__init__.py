"""A match or tournament as one page to look at: `data` gathers, `judge` values the moves, `page` writes the file."""
