"""The collector is off inside, and afterwards as it was before."""

import gc
import threading
import weakref

import pytest

from minijax.base import collector_paused, take_all_for_old


def test_it_is_off_inside_and_on_again_after_errors():
    assert gc.isenabled()
    with pytest.raises(RuntimeError), collector_paused:
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()


def test_pauses_nest_and_overlap():
    entered, leave = threading.Event(), threading.Event()

    def other():
        with collector_paused:
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collector_paused, collector_paused:
        thread.start()
        entered.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_who_turned_it_off_finds_it_off():
    gc.disable()
    try:
        with collector_paused:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_all_is_taken_for_old_and_is_still_collected():
    class Node:
        pass

    with collector_paused:
        kept, lost = Node(), Node()
        lost.itself = lost
        gone = weakref.ref(lost)
        del lost
        take_all_for_old()
        assert gc.get_count()[0] < 100
        assert any(x is kept for x in gc.get_objects(generation=2))
        assert gc.get_freeze_count() == 0
    assert gone() is not None
    gc.collect()
    assert gone() is None


def test_what_the_program_froze_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        take_all_for_old()
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
