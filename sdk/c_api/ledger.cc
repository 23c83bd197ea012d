#include "hearsay/ledger.h"

#include <limits>

#include "common/base/encoding.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "sdk/c_api/boundary.h"
#include "sdk/c_api/handles.h"

namespace {

using namespace hearsay;         // this file defines functions of the global namespace
using namespace hearsay::c_api;  // NOLINT(google-build-using-namespace)

// A counter that the host keeps.
class HostCounter final : public sdk::RollbackCounter {
 public:
  explicit HostCounter(const hearsay_rollback_counter& functions) : functions_(functions) {}

  Result<std::uint64_t> read() override {
    std::uint64_t value = 0;
    if (functions_.read(functions_.context, &value) != 0) return failed("read");
    return value;
  }

  Result<void> raise(std::uint64_t value) override {
    if (functions_.raise(functions_.context, value) != 0) return failed("raised");
    return {};
  }

 private:
  static Error failed(const char* what) {
    return {ErrorCode::kIo, std::string("the rollback counter cannot be ") + what};
  }

  hearsay_rollback_counter functions_;
};

Result<std::chrono::seconds> seconds_of(std::uint64_t value, const char* what) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Error{ErrorCode::kInvalidArgument, std::string(what) + " is too large"};
  }
  return std::chrono::seconds(value);
}

Result<sdk::LedgerOptions> options_of(const hearsay_ledger_options* options) {
  HEARSAY_TRY(const hearsay_ledger_options given, struct_of(options, "options"));
  sdk::LedgerOptions ours;
  HEARSAY_TRY(const std::string_view file, required_text(given.file, given.file_size, "options.file"));
  ours.file = file;
  if (given.period_seconds != 0) {
    HEARSAY_TRY(ours.policy.period, seconds_of(given.period_seconds, "options.period_seconds"));
  }
  HEARSAY_TRY(const std::string_view budget, text_of(given.budget, given.budget_size, "options.budget"));
  if (given.budget != nullptr) {
    HEARSAY_TRY(ours.policy.budget, Epsilon::parse(budget));
  }
  if (given.max_reports != 0) ours.outbox.max_reports = given.max_reports;
  if (given.max_bytes != 0) ours.outbox.max_bytes = given.max_bytes;
  if (given.max_age_seconds != 0) {
    HEARSAY_TRY(ours.outbox.max_age, seconds_of(given.max_age_seconds, "options.max_age_seconds"));
  }
  return ours;
}

const char* state_name(sdk::ReportState state) {
  switch (state) {
    case sdk::ReportState::kPending:
      return "pending";
    case sdk::ReportState::kDelivered:
      return "delivered";
    case sdk::ReportState::kDropped:
      return "dropped";
  }
  return "";
}

Json entry(const sdk::LoggedReport& report) {
  Json json{{"number", report.number},
            {"task", report.task.to_string()},
            {"title", report.title},
            {"epsilon", report.epsilon.to_string()},
            {"made", report.made},
            {"state", state_name(report.state)},
            {"settled", nullptr},
            {"reason", report.reason},
            {"bytes", base64url_encode(report.bytes)}};
  if (report.settled) json["settled"] = *report.settled;
  return json;
}

template <class Call>
hearsay_code on_ledger(const hearsay_ledger* ledger, hearsay_error* error, const Call& call) noexcept {
  return guarded(error, [&]() -> Result<void> {
    HEARSAY_TRY(const auto found, find(ledgers(), ledger, "ledger"));
    return call(*found->ledger);
  });
}

}  // namespace

hearsay_code hearsay_ledger_open(const hearsay_ledger_options* options, hearsay_ledger** ledger,
                                 hearsay_error* error) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (ledger == nullptr) return null_argument("ledger");
    *ledger = nullptr;
    HEARSAY_TRY(sdk::LedgerOptions ours, options_of(options));
    auto opened = std::make_shared<OpenLedger>();
    HEARSAY_TRY(const hearsay_ledger_options given, struct_of(options, "options"));
    if (given.counter != nullptr) {
      if (given.counter->read == nullptr || given.counter->raise == nullptr) return null_argument("counter's function");
      opened->counter = std::make_unique<HostCounter>(*given.counter);
      ours.counter = opened->counter.get();
    }
    HEARSAY_TRY(opened->ledger, sdk::Ledger::open(ours));
    *ledger = ledgers().add(std::move(opened));
    return {};
  });
}

void hearsay_ledger_free(hearsay_ledger* ledger) noexcept { remove(ledgers(), ledger); }

hearsay_code hearsay_ledger_log(const hearsay_ledger* ledger, size_t most, hearsay_buffer** json,
                                hearsay_error* error) noexcept {
  if (json == nullptr) return report(null_argument("json"), error);
  *json = nullptr;
  return on_ledger(ledger, error, [&](sdk::Ledger& of) -> Result<void> {
    HEARSAY_TRY(const std::vector<sdk::LoggedReport> reports, of.outbox().log(most));
    Json list = Json::array();
    for (const sdk::LoggedReport& report : reports) list.push_back(entry(report));
    *json = make_buffer(json_text(list));
    return {};
  });
}

hearsay_code hearsay_ledger_opt_out(hearsay_ledger* ledger, hearsay_error* error) noexcept {
  return on_ledger(ledger, error, [](sdk::Ledger& of) { return of.opt_out(); });
}

hearsay_code hearsay_ledger_opt_in(hearsay_ledger* ledger, hearsay_error* error) noexcept {
  return on_ledger(ledger, error, [](sdk::Ledger& of) { return of.opt_in(); });
}

hearsay_code hearsay_ledger_opted_out(const hearsay_ledger* ledger, int32_t* opted_out, hearsay_error* error) noexcept {
  if (opted_out == nullptr) return report(null_argument("opted_out"), error);
  return on_ledger(ledger, error, [&](sdk::Ledger& of) -> Result<void> {
    HEARSAY_TRY(const bool out, of.opted_out());
    *opted_out = out ? 1 : 0;
    return {};
  });
}
