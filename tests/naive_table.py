"""The transposition table in plain Python: buckets of four entries, each with all that it says in fields of its own."""

from dataclasses import dataclass, field

NO_SQUARE = 64


@dataclass
class Entry:
    key: tuple[int, int]
    lower: int
    upper: int
    best: int
    second: int
    rank: int
    age: int


@dataclass
class Table:
    """`bucket_of` tells where a position belongs; all else is known of entries by themselves."""

    buckets: dict[int, list[Entry | None]] = field(default_factory=dict)

    def probe(self, bucket: int, key: tuple[int, int]) -> Entry | None:
        return next((entry for entry in self.buckets.get(bucket, []) if entry and entry.key == key), None)

    def store(self, bucket: int, key: tuple[int, int], lower: int, upper: int, best: int, rank: int, age: int) -> None:
        entries = self.buckets.setdefault(bucket, [None] * 4)
        known = self.probe(bucket, key)
        second = NO_SQUARE
        if known:
            if known.rank > rank and known.age == age:
                return
            second = known.best if known.best != best else known.second
            if known.rank == rank:
                lower, upper = max(lower, known.lower), min(upper, known.upper)
            place = next(index for index, entry in enumerate(entries) if entry is known)
        else:

            def worth(index: int) -> int:
                entry = entries[index]
                return 0 if entry is None else entry.rank + 1000 * (entry.age == age)

            place = min(range(4), key=worth)
        entries[place] = Entry(key, lower, upper, best, second, rank, age)
