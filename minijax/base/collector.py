"""Pausing the cyclic garbage collector while many objects come that stay."""

import gc
import threading


class _CollectorPause:
    """Context: cyclic collection is off while any thread is inside.

    A long trace is one live tree, and so is a library being imported: walking it again
    and again finds nothing and makes long traces quadratic in practice. Who has turned
    the collector off finds it off afterwards.
    """

    def __init__(self) -> None:
        self._lock, self._depth, self._resume = threading.Lock(), 0, False

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._resume = gc.isenabled()
                gc.disable()
            self._depth += 1

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._resume:
                gc.enable()


collector_paused = _CollectorPause()


def take_all_for_old() -> None:
    """Put what is alive among the old objects, unseen.

    Otherwise the first collection after a pause walks all that came meanwhile: for an
    import, a tenth of its time. Nothing is kept alive by it. Where the program has
    frozen objects itself, they stay as they are and nothing happens.
    """
    if gc.get_freeze_count() == 0:
        gc.freeze()  # all generations become one list, which no collection walks,
        gc.unfreeze()  # and that list becomes the oldest generation
