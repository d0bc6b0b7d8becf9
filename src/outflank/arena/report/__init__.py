"""A match or tournament as one page to look at: `data` gathers, `judge` values every move, `page` writes the file."""
