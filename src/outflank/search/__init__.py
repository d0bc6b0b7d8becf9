"""Looking ahead: limits and reports, and the searches that obey the one and make the other."""
