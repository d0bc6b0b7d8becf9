"""Workers in threads of this process: for tasks that are mostly compiled code, which holds no interpreter lock."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from outflank.work.held import Shelf, shelf
from outflank.work.stop import Stop
from outflank.work.workers import Answer, Batch, Crew, Done, perform


class Threads(Crew):
    """Does tasks in so many threads at a time. What a task makes after the stop is set is not wanted."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self._pool: ThreadPoolExecutor | None = None
        self._shelves: list[Shelf] = []
        self._flying: dict[Future[Done | None], Batch] = {}

    @property
    def _busy(self) -> int:
        return len(self._flying)

    @property
    def _room(self) -> int:
        return 2 * self.jobs  # half of them wait, so that no thread waits for us

    def _give(self, batch: Batch, stop: Stop) -> None:
        self._pool = self._pool or ThreadPoolExecutor(self.jobs, "outflank-work", self._take_seat)
        self._flying[self._pool.submit(_performed, batch, stop)] = batch

    def _take_seat(self) -> None:
        self._shelves.append(Shelf())
        shelf.set(self._shelves[-1])

    def _answers(self, seconds: float) -> list[Answer]:
        return self._ended(wait(self._flying, seconds, FIRST_COMPLETED).done)

    def _recall(self) -> list[Answer]:
        for future in self._flying:
            future.cancel()
        return self._ended(wait(self._flying).done)

    def _ended(self, futures: set[Future[Done | None]]) -> list[Answer]:
        answers: list[Answer] = []
        for future in [future for future in self._flying if future in futures]:
            batch = self._flying.pop(future)
            done = None if future.cancelled() else future.result()
            if done is not None:
                answers.append((batch, done))
        return answers

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        while self._shelves:
            self._shelves.pop().close()


def _performed(batch: Batch, stop: Stop) -> Done | None:
    done = perform([task for _, task in batch], 0.0, stop)
    return None if stop.is_set else done
