"""The analyst's client against a real aggregator."""

import base64
import copy
import http.client
import json
import math
import os
import pickle
import ssl
import unittest

from hearsay import Analyst, HearsayError

from aggregator import AggregatorTest, today


class AnalystTest(AggregatorTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.task, _ = cls.aggregator.create_task("2", [{"name": "smoker", "type": "boolean"}])
        cls.start = today()

    def analyst(self, **changes) -> Analyst:
        settings = {"ca_file": self.aggregator.certificate, "token_file": self.aggregator.token, **changes}
        analyst = Analyst(self.aggregator.url, **settings)
        self.addCleanup(analyst.close)
        return analyst

    def test_tasks_are_listed_and_shown(self) -> None:
        listed = self.analyst().tasks()
        self.assertEqual([(one.task, one.title, one.closed_at) for one in listed], [(self.task, "habits", None)])
        self.assertEqual(self.analyst().task(self.task)["epsilon"], "2")

    def test_bad_arguments_are_refused_before_anything_is_sent(self) -> None:
        for server in ("http://localhost", "localhost", "https://", "https://localhost/x", "https://localhost:99999",
                       "https://localhost:0", "https://localhost:-1", "https://[::1", "https://[1::2::3]",
                       "https://::1", "https://local host", "https://local\nhost", "https://local\0host",
                       "https://a..b", "https://localhost?x", "https://localhost#x", f"https://{'a' * 64}"):
            self.assert_code("invalid_argument", Analyst, server)
        error = self.assert_code("invalid_argument", Analyst, "https://user:secret@localhost")
        self.assertNotIn("secret", str(error))
        for timeout in (0, 0.0001, -1, math.nan, math.inf):
            self.assert_code("invalid_argument", self.analyst, timeout=timeout)
        for file in ("token_file", "ca_file"):
            self.assert_code("invalid_argument", self.analyst, **{file: f"{self.aggregator.token}\0"})
        for server in ("https://[::1]", "HTTPS://127.0.0.1:8443/", "https://b\u00fccher.example"):
            Analyst(server).close()
        self.assert_code("invalid_argument", self.analyst().task, "../status")
        self.assert_code("io", self.analyst, token_file="/nonexistent")
        self.assert_code("io", self.analyst, ca_file="/nonexistent")

    def test_an_exception_has_the_name_of_the_servers_refusal(self) -> None:
        analyst = self.analyst()
        self.assert_code("unrecognizedTask", analyst.task, "A" * 43)
        self.assert_code("invalid_argument", analyst.estimates, self.task, ["smoker"], start=self.start, end=self.start)
        with open(f"{self.temporary.name}/wrong", "w", encoding="ascii") as file:
            file.write("x" * 43)
        self.assert_code("unauthorized", self.analyst(token_file=file.name).tasks)

    def test_a_text_in_place_of_a_list_is_refused(self) -> None:
        analyst = self.analyst()
        self.assert_code("invalid_argument", analyst.estimates, self.task, "smoker")
        for tables in ("smoker", ["smoker"], [["smoker"], "smoker"]):
            self.assert_code("invalid_argument", analyst.tables, self.task, tables)
        for confidence in (0, 1, math.nan):
            self.assert_code("invalid_argument", analyst.estimates, self.task, ["smoker"], confidence=confidence)

    def test_an_error_can_be_copied_and_pickled(self) -> None:
        error = HearsayError("unauthorized", "no token", 401)
        error.__notes__ = ["a note"]
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            self.assertEqual((type(again), str(again)), (HearsayError, "unauthorized: no token"))
            self.assertEqual(vars(again), vars(error))
            self.assertEqual((again.code, again.message, again.status), ("unauthorized", "no token", 401))

    def test_an_unknown_certificate_is_refused(self) -> None:
        self.assert_code("tls_failed", self.analyst(ca_file=None).tasks)

    def test_an_unreachable_server_is_connection_failed(self) -> None:
        analyst = Analyst("https://localhost:1", token_file=self.aggregator.token)
        self.assert_code("connection_failed", analyst.tasks)

    def post_reports(self, answers: list[int]) -> None:
        """Posts a report for each answer (0 or 1) to the task's only question."""
        reports = [{"version": 1, "time": self.start, "id": base64.urlsafe_b64encode(os.urandom(16)).decode()[:22],
                    "payload": base64.urlsafe_b64encode(bytes([answer])).decode().rstrip("=")} for answer in answers]
        connection = http.client.HTTPSConnection(
            "localhost", self.aggregator.port, context=ssl.create_default_context(cafile=self.aggregator.certificate))
        connection.request("POST", f"/v1/tasks/{self.task}/reports", json.dumps(reports),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200, answer.read())
        connection.close()

    def test_estimates_tables_and_tallies_agree(self) -> None:
        analyst = self.analyst()
        (nothing,) = analyst.estimates(self.task, ["smoker"])
        self.assertEqual(nothing.error.code, "no_reports")
        self.assertTrue(math.isnan(nothing.value))
        self.assertEqual(analyst.tally(self.task), [])

        self.post_reports([0] * 30 + [1] * 70)
        (window,) = analyst.tally(self.task)
        self.assertEqual((window.time, window.reports), (self.start, 100))
        self.assertEqual(sorted(window.answers), [(0, 0, 30), (0, 1, 70)])
        estimate, unknown = analyst.estimates(self.task, ["smoker", "drinker"])
        self.assertTrue(math.isfinite(estimate.value) and estimate.standard_error > 0)
        # 70 of 100 devices gave the same answer, so the estimate or its complement is 1/2 + 0.2/gamma.
        gamma = (math.exp(2) - 1) / (math.exp(2) + 1)
        self.assertAlmostEqual(abs(estimate.value - 0.5), 0.2 / gamma, places=6)
        self.assertEqual(estimate.guarantee, "worst-case")
        self.assertLess(estimate.normal[0], estimate.value)
        self.assertEqual(unknown.error.code, "unknown_attribute")
        (table,) = analyst.tables(self.task, [["smoker"]])
        self.assertEqual((table.attributes, table.sizes), (["smoker"], [2]))
        self.assertAlmostEqual(table.values[1], estimate.value)
        self.assertAlmostEqual(sum(table.values), 1)
        self.assert_code("unknown_attribute", analyst.tables, self.task, [["smoker"], ["drinker"]])


if __name__ == "__main__":
    unittest.main()
