"""Data for other programs: positions with values, policies and results, as Parquet and NumPy files."""
