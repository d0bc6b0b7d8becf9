"""`outflank warmup`: the first compile on a machine, with a progress bar."""

import time


def warmup() -> None:
    """Compile every kernel for this machine, once; later starts load them.

    Example: outflank warmup
    """
    from outflank.board.compiled import cache_folder, warm_up

    began = time.perf_counter()
    kernels = warm_up()
    print(f"{kernels} kernels ready in {time.perf_counter() - began:.1f} s ({cache_folder()})")
