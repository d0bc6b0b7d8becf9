"""Data for other people's programs: positions with values, policies and results, as Parquet and NumPy files."""
