// Compares the ledger in a year of clock jumps with a plain model that remembers every payment.
#include <map>
#include <random>
#include <set>

#include "sdk/ledger/database_ledger.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

constexpr std::uint64_t kFirstDay = 20'000;

class Model {
 public:
  void add(std::uint64_t account, int task) {
    CHECK(paid_.insert({account, task}).second);
    CHECK(++reports_[account] <= 2);  // a budget of 1 pays for two reports of 0.4
  }
  bool has_paid(std::uint64_t account, int task) const { return paid_.count({account, task}) != 0; }
  bool is_untouched(std::uint64_t account) const { return reports_.count(account) == 0; }
  std::size_t accounts() const { return reports_.size(); }

 private:
  std::set<std::pair<std::uint64_t, int>> paid_;
  std::map<std::uint64_t, int> reports_;
};

class Year {
 public:
  Year(unsigned seed, double hears, const AccountLimits& limits)
      : random_(seed),
        hears_(hears),
        ledger_(ledger_in_memory(policy_of(kDay, "1"), {.max_logged = 1}, limits).value()) {}

  void live() {
    for (std::uint64_t hour = 0; hour < 365 * 24; hour += 8) {
      const std::uint64_t truth = kFirstDay * kDay + hour * 3600;
      if (chance(0.3)) ahead_ = jump(truth);
      const bool hears = chance(hears_);
      if (hears) REQUIRE(ledger_->note_server_time(truth));
      const auto now = static_cast<std::uint64_t>(static_cast<std::int64_t>(truth) + ahead_);
      report(now, static_cast<int>(random_() % 3), hears && ahead_ == 0);
      ahead_ = chance(0.1) ? 0 : ahead_;
    }
  }
  std::size_t accounts() const { return model_.accounts(); }

 private:
  bool chance(double probability) { return std::uniform_real_distribution<>()(random_) < probability; }

  // Returns a clock that is right, in one of the next periods, in one of the last periods, far ahead, far behind, or
  // at the epoch.
  std::int64_t jump(std::uint64_t truth) {
    const auto days = [this](int from, int to) {
      return std::int64_t{kDay} * std::uniform_int_distribution<>(from, to)(random_);
    };
    switch (random_() % 6) {
      case 0:
        return 0;
      case 1:
        return days(0, 2);
      case 2:
        return days(-2, 0);
      case 3:
        return days(3, 400);
      case 4:
        return days(-400, -3);
      default:
        return -static_cast<std::int64_t>(truth);
    }
  }

  void report(std::uint64_t now, int task, bool is_right) {
    const std::string said = pay(*ledger_, tasks_[static_cast<std::size_t>(task)], now);
    const std::uint64_t account = now / kDay;
    if (said == "reported") model_.add(account, task);
    if (said == "already reported") CHECK(model_.has_paid(account, task));
    // With a right clock and an untouched account, the ledger must pay.
    if (is_right && model_.is_untouched(account)) CHECK(said == "reported");
    if (said == "clock_differs") CHECK(!is_right);
    if (said != "reported") return;
    const auto log = ledger_->outbox().log(1);
    REQUIRE(ledger_->outbox().settle(log->front().number, ReportState::kDelivered, now, ""));
  }

  std::mt19937 random_;
  double hears_;
  std::unique_ptr<Ledger> ledger_;
  std::vector<Task> tasks_{task_of("a", "0.4"), task_of("b", "0.4"), task_of("c", "0.4")};
  Model model_;
  std::int64_t ahead_ = 0;  // seconds by which the device's clock is ahead
};

TEST_CASE("in a year of clock jumps the ledger does not over-spend and does not lock out a right clock") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    // The client hears the server's time never, seldom or often. The limits are the real limits, or so low that the
    // ledger reaches them within days.
    const double hears = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.02 : 0.8;
    const AccountLimits limits = seed % 4 == 3 ? AccountLimits{} : AccountLimits{.open = 3, .payments = 7, .runs = 12};
    Year year(seed, hears, limits);
    year.live();
    CHECK(year.accounts() >= 9);
  }
}

}  // namespace
}  // namespace hearsay::sdk::tests
