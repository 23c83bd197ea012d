// Tests what `hearsay` says to the answers of a server that is no aggregator of this version.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/e2e/process.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_file.h"
#include "tests/support/tls_server.h"

namespace hearsay::e2e {
namespace {

// Runs `hearsay` against a server that gives this answer to each call. Returns the output.
Output run_before(const std::string& answer, std::vector<std::string> arguments) {
  const tests::Certificate certificate;
  const tests::TlsServer server(certificate, [&](tests::TlsConnection& connection) {
    while (!connection.read_request().empty() && connection.write(answer)) {
    }
  });
  const std::vector<std::string> flags{"--server", "https://localhost:" + std::to_string(server.port()), "--ca",
                                       certificate.file()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return run(kHearsay, arguments, {"HEARSAY_TOKEN=token"});
}

TEST_CASE("hearsay refuses an answer that is not in the API's form, and does not print the JSON library's message") {
  const Task task = tests::small_task("b b");
  const tests::TemporaryFile document(task.canonical_json());
  const std::string id = task.id().to_string();
  const std::vector<std::string> estimate{"estimate", id, "a0"};
  for (const char* body : {"{}", "[]", "\"x\"", R"({"tasks": 1})", R"({"tasks": [{"task": 1}]})"}) {
    CAPTURE(body);
    const Output output = run_before(tests::http_answer("200 OK", body), {"task", "list"});
    CAPTURE(output.text);
    CHECK(output.status == 2);
    CHECK(output.contains("a JSON document has another form than this program expects"));
    CHECK_FALSE(output.contains("json.exception"));
  }
  for (const char* body : {"[]", R"({"task": 1})"}) {
    CAPTURE(body);
    const Output output = run_before(tests::http_answer("201 Created", body), {"task", "create", document.path()});
    CHECK(output.status == 2);
    CHECK_FALSE(output.contains("json.exception"));
  }
  // The message names the status, whatever the body is.
  for (const char* body : {R"({"type": 1, "detail": ["x"]})", "[]", "\xFF", "<html>"}) {
    CAPTURE(body);
    const Output output = run_before(tests::http_answer("502 Bad Gateway", body), estimate);
    CHECK(output.status == 2);
    CHECK(output.contains("the aggregator answered 502"));
  }
  const Output latin = run_before(tests::http_answer("200 OK", "{\"tasks\": [\n\"caf\xE9\"]}"), {"task", "list"});
  CHECK(latin.status == 2);
  CHECK(latin.contains("not UTF-8 in line 2 at byte 17"));
}

}  // namespace
}  // namespace hearsay::e2e
