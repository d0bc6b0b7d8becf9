"""`python -m outflank`: the same as the `outflank` program."""

from outflank.cli.main import main

main()
