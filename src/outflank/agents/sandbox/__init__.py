"""Runs an untrusted program in a sandboxed process: how it is enclosed, spoken to and cleaned up after.

The referee's side (`process`, `wire`) believes nothing that comes back. A small `guard` ends with the referee, whatever
happens to that, and takes the program with it. `namespaces` or bubblewrap (`enclosure` says which) give the program a
file system of its own without network or other processes. Inside, `guest` is ours until it has given up its rights
(`restrictions`, `seccomp`), and only then loads the program (`interfaces`).
"""
