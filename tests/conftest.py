"""What every test shares: hypothesis tries the same examples on every run, and takes the time it needs."""

from hypothesis import settings

settings.register_profile("outflank", derandomize=True, deadline=None)
settings.load_profile("outflank")
