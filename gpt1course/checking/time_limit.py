"""A limit of time for a block of Python: by the system's alarm, or by a second thread.

Windows has no alarm. There a second thread presses Ctrl-C, so to speak. Then what waits within
one call, such as a huge matrix product or a lock, ends first and is stopped afterwards.
"""

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator


class TooLong(BaseException):
    """The time is up; no Exception, so that an `except` in the code lets it through."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block after so many seconds."""
    limit = _by_alarm
    if not hasattr(signal, "SIGALRM"):
        limit = _by_interrupt
    if threading.current_thread() is not threading.main_thread():
        limit = _by_exception  # no signal reaches it
    with limit(seconds):
        yield


@contextlib.contextmanager
def _by_alarm(seconds: float) -> Iterator[None]:
    def time_is_up(*_):
        raise TooLong(seconds)

    before = signal.signal(signal.SIGALRM, time_is_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_interrupt(seconds: float) -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler
    expired = threading.Event()

    def press():
        expired.set()
        signal.raise_signal(signal.SIGINT)

    def interrupted(*given):
        if expired.is_set():
            expired.clear()
            raise TooLong(seconds)
        if callable(before):  # it was a hand
            before(*given)

    watchdog = _Watchdog(seconds, press)
    signal.signal(signal.SIGINT, interrupted)
    try:
        try:
            watchdog.begin()
            yield
        finally:
            watchdog.stop()
    finally:
        _set_back(before)


def _set_back(handler) -> None:
    """Handle Ctrl-C as before, also if the time is up only now."""
    try:
        signal.signal(signal.SIGINT, handler)
    except TooLong:  # it is raised once
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def _by_exception(seconds: float) -> Iterator[None]:
    class Expired(TooLong):
        """With its seconds: Python makes it."""

        def __init__(self):
            super().__init__(seconds)

    thread = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    watchdog = _Watchdog(seconds, lambda: raise_in(thread, ctypes.py_object(Expired)))
    try:
        watchdog.begin()
        yield
    finally:
        watchdog.stop()
        raise_in(thread, None)  # what has not struck yet


class _Watchdog:
    """A thread that acts once, so many seconds after `begin`, unless it is stopped before.

    Its start is not yet the beginning: what it does must not strike within `Thread.start`.
    """

    def __init__(self, seconds: float, act: Callable[[], object]):
        self.seconds, self.act, self.stopped = seconds, act, threading.Event()
        self.gate, self.lock = threading.Lock(), threading.Lock()
        self.gate.acquire()
        threading.Thread(target=self.run, name="time limit", daemon=True).start()

    def begin(self) -> None:
        """The time runs from now on."""
        self.gate.release()  # one step of Python: nothing can strike within

    def run(self) -> None:
        """Wait, and act unless it was stopped before."""
        with self.gate:
            self.stopped.wait(self.seconds)
        with self.lock:
            if not self.stopped.is_set():
                self.act()

    def stop(self) -> None:
        """After this it does nothing."""
        self.stopped.set()
        with self.lock:
            pass  # what it was about to do is done
