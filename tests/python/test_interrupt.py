"""Ctrl-C while the library works, and threads of Python."""

import os
import signal
import threading
import time
import unittest

import tare
from common import MODEL, PROFILE, TestCase, sentences


def interrupt_after(seconds):
    """Sends SIGINT to this process."""
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def endless():
    """Samples without end."""
    while True:
        yield from sentences()


def interrupting(samples, after):
    """The samples; soon behind so many of them the process gets SIGINT."""
    for i, sample in enumerate(samples):
        if i == after:
            interrupt_after(0.05)
        yield sample


class InterruptTest(TestCase):
    def setUp(self):
        super().setUp()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def interrupted(self, function, *arguments, **named):
        began = time.monotonic()
        interrupt_after(0.3)
        with self.assertRaises(KeyboardInterrupt):
            function(*arguments, **named)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual([t.name for t in threading.enumerate() if t.name == "tare"], [])

    def test_calibration(self):
        self.interrupted(tare.calibrate, MODEL, endless(), PROFILE)

    def test_checkpoint(self):
        part = self.folder / "part.stats"
        with self.assertRaises(KeyboardInterrupt):
            tare.calibrate(MODEL, interrupting(endless(), 30), PROFILE, checkpoint=part)
        self.assertTrue(tare.Statistics.load(part).is_partial)

    def test_samples_that_take_long(self):
        def slow():
            yield from sentences(2)
            time.sleep(60)

        self.interrupted(tare.calibrate, MODEL, slow(), PROFILE)

    def test_lengths(self):
        self.interrupted(tare.calibrate, MODEL, endless())

    def test_evaluation(self):
        plan = tare.build(MODEL, profiles=PROFILE)
        self.interrupted(tare.evaluate, plan, endless())

    def test_callers_thread(self):
        """Samples and progress run in the thread of the caller."""
        here, seen = threading.get_ident(), set()

        def samples():
            for sample in sentences():
                seen.add(threading.get_ident())
                yield sample

        tare.calibrate(MODEL, samples(), PROFILE,
                       progress=lambda done, total: seen.add(threading.get_ident()))
        self.assertEqual(seen, {here})

    def test_several_at_once(self):
        expected = tare.calibrate(MODEL, list(sentences()), PROFILE)
        expected.save(self.folder / "a.stats")
        results = []
        threads = [threading.Thread(target=lambda: results.append(
            tare.calibrate(MODEL, sentences(), PROFILE, threads=1))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        for result in results:
            result.save(self.folder / "b.stats")
            self.same_bytes(self.folder / "a.stats", self.folder / "b.stats")


if __name__ == "__main__":
    unittest.main()
