// An aggregator for a test, with a temporary store, a fresh certificate, tokens, and a clock that the test moves.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/daemon/daemon.h"
#include "common/base/strict_json.h"
#include "common/report/report.h"
#include "hearsay/client.h"
#include "hearsay/transport.h"
#include "tests/support/manual_clock.h"
#include "tests/support/shared_text.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::e2e {

using http::Reply;

inline constexpr std::string_view kAdminToken = "administrator-token-of-the-tests";
inline constexpr std::string_view kAnalystToken = "analyst-token-of-the-tests";
inline constexpr std::string_view kUploaderToken = "uploader-token-of-the-tests";
inline constexpr std::string_view kCbor = "application/vnd.hearsay.reports+cbor-seq";
inline constexpr std::string_view kJson = "application/json";

// Returns keys of the configuration that set all time limits so high that no client reaches them.
Json patient_limits();

// Returns the last part of a problem document's type, or an empty text if the body is no problem document.
std::string problem_name(const Reply& reply);
Digest digest_of(std::string_view token);

class Aggregator {
 public:
  // The constructor and restart() let `adjust` change the daemon's configuration.
  explicit Aggregator(std::function<void(daemon::DaemonConfig&)> adjust = {});
  ~Aggregator() { daemon.reset(); }  // the daemon must end before its directory is removed

  // Stops the daemon and starts another one on the same store.
  void restart();

  // Sends one request on a connection of its own. `token` may be empty.
  Reply call(std::string_view method, std::string_view path, std::string_view body = "", std::string_view token = "",
             std::string_view content_type = kJson) const;
  // Sends one request to the operator's port.
  Reply ask(std::string_view method, std::string_view path, std::string_view body = "") const;
  // Creates the task. If the aggregator refuses the task, the test fails.
  void create(const Task& task) const;
  // Returns the task's tally as the JSON text of the export.
  std::string tally(const Task& task) const;
  // Returns the metric's value, or 0 if the daemon does not show the metric. `series` is the metric's name with its
  // labels.
  double metric(std::string_view series) const;

  std::unique_ptr<sdk::Transport> transport() const;

  http::TestCertificate certificate;
  tests::ManualClock clock{tests::kTaskStart + 3600};
  tests::SharedText log_lines;
  std::unique_ptr<daemon::Daemon> daemon;

 private:
  std::function<void(daemon::DaemonConfig&)> adjust_;
  std::ostream log_stream_{&log_lines};
  daemon::Log log_{daemon::LogLevel::kInfo, &log_stream_};
  tests::TemporaryDirectory store_;
};

inline std::string path_of(const Task& task, std::string_view suffix = "") {
  return "/v1/tasks/" + task.id().to_string() + std::string(suffix);
}

// Lets `people` people report, each with a ledger of their own. Person i reports the record i modulo the number of
// records. The test fails if a report is not delivered.
void report_each(Aggregator& aggregator, const Task& task, const std::vector<Record>& records, std::size_t people);

Reply post(const Aggregator& aggregator, const Task& task, const Report& report);

}  // namespace hearsay::e2e
