"""How fast it all is, and whether a change altered any search: what `outflank bench` measures."""
