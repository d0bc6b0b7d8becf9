"""Workers in threads of this process: for tasks that are mostly compiled code, which holds no interpreter lock."""

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from outflank.work.held import Shelf, let_go, shelf
from outflank.work.stop import Stop
from outflank.work.workers import Crew, Done, Task, perform

Ticket = Future[Done]


class Threads(Crew):
    """Does tasks in so many threads at a time."""

    def __init__(self, jobs: int, patient: bool = False) -> None:
        super().__init__(jobs)
        self.patient = patient
        self._shelves: list[Shelf] = []
        self._pool = ThreadPoolExecutor(jobs, "outflank-work", lambda: self._shelves.append(shelf()))

    def _room(self) -> int:
        return self.jobs if self.patient else 2 * self.jobs  # half of them wait, so that no thread waits for us

    def _begin(self, tasks: list[Task[Any]], stop: Stop) -> Ticket:
        return self._pool.submit(_performed, tasks, stop)

    def _ended(self, tickets: list[Ticket], seconds: float) -> Iterable[tuple[Ticket, Done]]:
        return [(ticket, ticket.result()) for ticket in wait(tickets, seconds, FIRST_COMPLETED).done]

    def _recall(self, tickets: list[Ticket]) -> Iterable[tuple[Ticket, Done]]:
        begun = [ticket for ticket in tickets if not ticket.cancel()]
        return [(ticket, ticket.result()) for ticket in begun]

    def close(self) -> None:
        self._pool.shutdown()
        for one in self._shelves:
            let_go(one)


def _performed(tasks: list[Task[Any]], stop: Stop) -> Done:
    done = perform(tasks, 0.0, stop)
    return Done([]) if stop.is_set else done  # it may have ended early
