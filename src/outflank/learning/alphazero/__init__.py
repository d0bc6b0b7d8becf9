"""Learning the tables that guide a tree search, from nothing but the rules."""
