"""A stranger's program in a process of its own that can do no harm: how it is shut in, talked to and cleaned up after.

Five processes' worth of trust: the referee (`process`, `wire`) believes nothing that comes back; a small `guard` of ours
outlives neither the referee nor the program; `namespaces` or bubblewrap give the program a file system of its own
without network or other processes; inside, `guest` is ours until it has given up its rights (`restrictions`,
`seccomp`), and only then loads the program (`interfaces`).
"""
