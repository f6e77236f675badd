"""The collector is off inside, and afterwards as it was before."""

import gc
import threading

import pytest

from minijax.base import collector_paused


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
