"""The client of the Python package against a real aggregator. HEARSAY_LIBRARY names the C library."""

import json
import math
import os
import pathlib
import runpy
import unittest

from hearsay import Analyst, Client, Companion, HearsayError, Ledger, Task, read_task_list

from aggregator import DAY, HEARSAY, AggregatorTest, run, today

SMOKER = {"smoker": True, "age": 3}
SCHEMA = [{"name": "smoker", "type": "boolean"}, {"name": "age", "type": "range", "min": 0, "max": 4}]


class Counter:
    def __init__(self) -> None:
        self.value = 0

    def read(self) -> int:
        return self.value

    def raise_to(self, value: int) -> None:
        if value < self.value:
            raise ValueError("the counter only grows")
        self.value = value


class BrokenCounter(Counter):
    def raise_to(self, value: int) -> None:
        raise OSError("the keystore is locked")


class WrongCounter(Counter):
    def read(self) -> int:
        return 2**64


class InterruptedCounter(Counter):
    def raise_to(self, value: int) -> None:
        raise KeyboardInterrupt


class CompanionTest(unittest.TestCase):
    def task(self, schema: list) -> Task:
        return Task(json.dumps({
            "version": 2, "title": "", "epsilon": "1", "schema": schema, "arrangement": {"type": "literals"},
            "channel": {"type": "laplace", "calibration": "tight"}, "task_start": today(), "task_duration": DAY,
            "time_precision": DAY, "min_batch_size": 1,
        }))  # fmt: skip

    def test_a_raw_text_means_what_the_vectors_say(self) -> None:
        vectors = pathlib.Path(__file__).parent.parent / "vectors/companions.json"
        for vector in json.loads(vectors.read_text(encoding="utf-8")):
            companion = Companion(self.task(vector["schema"]), json.dumps(vector["companion"]))
            for each in vector["texts"]:
                with self.subTest(about=vector["about"], text=each["text"]):
                    if each["value"] is None:
                        with self.assertRaises(HearsayError) as caught:
                            companion.record({"A": each["text"]})
                        self.assertEqual(caught.exception.code, "invalid_record")
                        continue
                    value = companion.record({"A": each["text"], "B": "is not read"})["a"]
                    written = ("yes" if value else "no") if isinstance(value, bool) else str(value)
                    self.assertEqual(written, each["value"])

    def test_a_companion_document_of_another_schema_is_refused(self) -> None:
        with self.assertRaises(HearsayError) as caught:
            Companion(self.task(SCHEMA), '{"version": 1, "attributes": []}')
        self.assertEqual(caught.exception.code, "invalid_argument")
        self.assertIn("no rule for attribute smoker", str(caught.exception))


class ClientTest(AggregatorTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.task, cls.document = cls.aggregator.create_task("1", SCHEMA)
        _, cls.cheap = cls.aggregator.create_task("0.5", SCHEMA)

    def setUp(self) -> None:
        self.file = f"{self.temporary.name}/{self.id()}.db"

    def ledger(self, **changes) -> Ledger:
        ledger = Ledger(self.file, **{"period_seconds": DAY, "budget": "1.5", **changes})
        self.addCleanup(ledger.close)
        return ledger

    def client(self, ledger: Ledger, task: Task | str | None = None, **changes) -> Client:
        settings = {"host": "localhost", "port": self.aggregator.port, "ca_file": self.aggregator.certificate,
                    "max_epsilon": "1", **changes}
        client = Client(ledger, task or self.task, **settings)
        self.addCleanup(client.close)
        return client

    def read_task(self, path: str) -> Task:
        with open(path, encoding="utf-8") as file:
            return Task(file.read())

    def test_a_report_reaches_the_tally_once(self) -> None:
        analyst = Analyst(self.aggregator.url, ca_file=self.aggregator.certificate, token_file=self.aggregator.token)
        self.addCleanup(analyst.close)
        before = sum(window.reports for window in analyst.tally(self.task))
        with self.ledger() as ledger, self.client(ledger) as client:
            self.assertTrue(client.submit(SMOKER))
            self.assertFalse(client.submit({"smoker": False, "age": 0}))
            self.assertFalse(client.submit({}), "a second call in a period does not look at the record")
            waiting = ledger.log()
            self.assertEqual([(one.state, one.epsilon, one.title) for one in waiting], [("pending", "1", "habits")])
            flushed = client.flush(60)
            self.assertEqual((flushed.delivered, flushed.pending, flushed.problem), (1, 0, None))
            self.assertEqual(client.flush(60).delivered, 0)
            self.assertEqual([(one.state, one.bytes) for one in ledger.log()], [("delivered", waiting[0].bytes)])
        with self.ledger() as ledger, self.client(ledger) as client:
            self.assertFalse(client.submit(SMOKER), "after a restart the period is still paid")
        self.assertEqual(sum(window.reports for window in analyst.tally(self.task)), before + 1)

    def test_the_program_of_the_quickstart_reports_once(self) -> None:
        report = runpy.run_path(os.environ["QUICKSTART"])["report"]
        directory = f"{self.temporary.name}/quickstart"
        os.mkdir(directory)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory)
        for delivered in (1, 0):
            flushed = report(self.task, SMOKER, "localhost", port=self.aggregator.port,
                             ca_file=self.aggregator.certificate)
            self.assertEqual((flushed.delivered, flushed.pending, flushed.problem), (delivered, 0, None))

    def test_tasks_have_the_ids_of_the_vectors(self) -> None:
        vectors = pathlib.Path(__file__).parent.parent / "vectors" / "tasks.json"
        for vector in json.loads(vectors.read_text(encoding="utf-8")):
            with self.subTest(vector["about"]):
                self.assertEqual(Task(vector["document"]).id, vector["id"])
                self.assertEqual(Task(vector["canonical"]).id, vector["id"])

    def test_an_unreachable_server_raises_no_exception(self) -> None:
        ledger = self.ledger()
        client = self.client(ledger, self.read_task(self.document), port=1)
        self.assertTrue(client.submit(SMOKER))
        flushed = client.flush(0.2)
        self.assertEqual((flushed.delivered, flushed.pending, flushed.problem.code), (0, 1, "connection_failed"))
        client.close()
        self.assertEqual(self.client(ledger).flush(60).delivered, 1)

    def test_the_budget_holds_over_all_tasks(self) -> None:
        ledger = self.ledger(budget="1.4")
        client, cheap = self.client(ledger), self.client(ledger, self.read_task(self.cheap))
        self.assertTrue(client.submit(SMOKER))
        self.assert_code("budget_exhausted", cheap.submit, SMOKER)
        client.close()
        cheap.close()
        ledger.close()
        self.assert_code("invalid_argument", Ledger, self.file, period_seconds=DAY, budget="1.5")

    def test_an_error_about_a_record_does_not_hold_its_values(self) -> None:
        client = self.client(self.ledger())
        for record in ({"smoker": "maybe-4711", "age": 3}, {"smoker": True, "age": 4711}, {"smoker": True}):
            error = self.assert_code("invalid_record", client.submit, record)
            self.assertNotIn("4711", str(error))
        self.assertRaises(ValueError, client.submit, {"smoker": True, "age": float("nan")})
        self.assert_code("task_mismatch", self.client, self.ledger_of("other"), max_epsilon="0.9")
        self.assert_code("invalid_argument", self.client, self.ledger_of("third"), "no id")

    def test_numbers_outside_their_range_are_refused(self) -> None:
        for period in (0, -1, 2**53 + 1, 2**64 + 1):
            self.assert_code("invalid_argument", self.ledger, period_seconds=period)
        self.assertRaises(TypeError, self.ledger, period_seconds=1.5)
        ledger = self.ledger(period_seconds=2**53)
        for port in (0, -1, 65_536, 2**32 + 443):
            self.assert_code("invalid_argument", self.client, ledger, port=port)
        for timeout in (0, 0.0001, -1, 2**32, math.nan, math.inf):
            self.assert_code("invalid_argument", self.client, ledger, timeout=timeout)
        for most in (-1, 2**64 + 1):
            self.assert_code("invalid_argument", ledger.log, most)
        client = self.client(ledger, timeout=60)
        for seconds in (-1, 2**32, math.nan):
            self.assert_code("invalid_argument", client.flush, seconds)
        self.assert_code("invalid_argument", client.settle_report, 2**64 + 1, delivered=True)
        self.assert_code("invalid_argument", client.settle_report, 1, delivered=True, server_time=2**64)

    def test_text_with_a_nul_is_refused(self) -> None:
        ledger = self.ledger()
        self.assert_code("invalid_argument", Ledger, f"{self.file}\0.db")
        self.assert_code("invalid_argument", Ledger, pathlib.Path(f"{self.file}\0.db"))
        self.assert_code("invalid_argument", Ledger, f"{self.file}-2", budget="1\0")
        self.assert_code("invalid_argument", Task, "{}\0")
        self.assert_code("invalid_argument", self.client, ledger, f"{self.task}\0")
        for option in ("host", "ca_file", "upload_token", "client_certificate", "client_key", "pin_file", "schema"):
            self.assert_code("invalid_argument", self.client, ledger, **{option: "x\0y"})
        self.assert_code("invalid_argument", self.client, ledger, max_epsilon="1\0")
        self.assert_code("invalid_argument", self.client, ledger, upload_token="\ud800")
        self.assertRaises(TypeError, self.client, ledger, max_epsilon=1)

    def test_a_client_can_have_a_certificate(self) -> None:
        ledger = self.ledger()
        certificate, key = self.aggregator.certificate, pathlib.Path(self.aggregator.directory, "key.pem")
        self.assert_code("invalid_argument", self.client, ledger, client_certificate=certificate)
        self.assert_code("invalid_argument", self.client, ledger, client_key=key)
        self.assert_code("io", self.client, ledger, client_certificate=certificate, client_key="/nonexistent")
        client = self.client(ledger, client_certificate=certificate, client_key=key)
        self.assertTrue(client.submit(SMOKER))
        self.assertEqual(client.flush(60).delivered, 1)

    def ledger_of(self, name: str) -> Ledger:
        ledger = Ledger(f"{self.temporary.name}/{name}.db")
        self.addCleanup(ledger.close)
        return ledger

    def test_opting_out_ends_reporting(self) -> None:
        ledger = self.ledger()
        client = self.client(ledger)
        client.submit(SMOKER)
        client.opt_out()
        self.assertTrue(ledger.opted_out)
        self.assertEqual(ledger.log(), [])
        self.assertEqual(client.flush(60).delivered, 0)
        self.assert_code("opted_out", client.submit, SMOKER)
        ledger.opt_in()
        self.assertFalse(client.submit(SMOKER), "what was paid stays paid")
        ledger.opt_out()
        self.assertTrue(ledger.opted_out)
        self.assert_code("opted_out", client.submit, SMOKER)

    def test_a_caller_can_send_reports_itself(self) -> None:
        client = self.client(self.ledger(), self.read_task(self.document), host=None)
        self.assertIsNone(client.next_report())
        client.submit(SMOKER)
        number, report = client.next_report()
        self.assertEqual(client.next_report(), (number, report))
        self.assert_code("invalid_argument", client.flush, 1)
        client.settle_report(number, delivered=True)
        self.assertIsNone(client.next_report())

    def test_an_older_copy_of_the_ledger_is_noticed(self) -> None:
        counter = Counter()
        ledger = self.ledger(counter=counter)
        with open(self.file, "rb") as file:
            old = file.read()
        client = self.client(ledger)
        client.submit(SMOKER)
        client.close()
        ledger.close()
        with open(self.file, "wb") as file:
            file.write(old)
        self.assert_code("ledger_damaged", self.ledger, counter=counter)

    def test_a_counter_that_fails_stops_reporting(self) -> None:
        self.assert_code("io", self.ledger, counter=WrongCounter())
        for broken in (BrokenCounter(), InterruptedCounter()):
            ledger = self.ledger(counter=broken)
            client = self.client(ledger, self.read_task(self.document))
            self.assert_code("io", client.submit, SMOKER)
            client.close()
            ledger.close()

    def test_a_file_that_is_open_cannot_be_opened_again(self) -> None:
        ledger = self.ledger()
        self.assert_code("in_use", self.ledger)
        client = self.client(ledger)
        ledger.close()
        self.assert_code("in_use", self.ledger)  # the client keeps the file open
        client.close()
        self.ledger()

    def test_a_child_process_cannot_use_its_parents_client(self) -> None:
        client = self.client(self.ledger())
        child = os.fork()
        if child == 0:
            try:
                client.submit(SMOKER)
            except HearsayError as error:
                os._exit(0 if error.code == "in_use" else 1)
            os._exit(2)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        self.assertTrue(client.submit(SMOKER))

    def test_a_signed_list_names_the_tasks(self) -> None:
        key = f"{self.temporary.name}/author.pem"
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
        expires = str(today() + 10 * DAY)
        list_file = f"{self.temporary.name}/list.json"
        result = run("sh", "-c", '"$0" task sign "$@" 2>&1 >"$LIST"', HEARSAY, self.document, self.cheap, "--key", key,
                     "--number", "3", "--expires", expires, LIST=list_file)
        author = result.split()[-1]
        with open(list_file, encoding="utf-8") as file:
            text = file.read()
        tasks, number = read_task_list(text, author, today(), max_epsilon="0.5")
        self.assertEqual(([task.epsilon for task in tasks], number), (["0.5"], 3))
        tasks, _ = read_task_list(text, author, today(), max_epsilon="1")
        self.assertEqual([task.epsilon for task in tasks], ["1", "0.5"])
        self.assert_code("task_mismatch", read_task_list, text, author, today(), max_epsilon="1", last_number=4)
        for wrong in ({"last_number": 2**64}, {"last_number": -1}, {"now": 2**64 + today()}):
            self.assert_code("invalid_argument", read_task_list, **{
                "text": text, "author_key": author, "now": today(), "max_epsilon": "1", **wrong})
        self.assert_code("bad_signature", read_task_list, text, "A" * 43, today(), max_epsilon="1")
        self.assert_code("task_expired", read_task_list, text, author, today() + 20 * DAY, max_epsilon="1")


if __name__ == "__main__":
    unittest.main()
