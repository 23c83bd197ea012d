// What an observer can learn from times. Compares the moment of an upload with the drawn noise, and the duration of
// submit() with the record.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <variant>

#include "common/channel/channel.h"
#include "common/report/report.h"
#include "hearsay/background_flush.h"
#include "hearsay/ledger.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/statistics.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kClients = 32;
// Drawing the noise of a report takes microseconds, so a delay up to this length hides the time of the draw.
constexpr milliseconds kSpan{20};

struct Observation {
  double noise;      // the sum of |noise| over the coordinates
  double submit_ns;  // the duration of submit()
  double upload_ns;  // the time from the call of submit() to the upload
  bool record;       // which of the two records
};

// A ledger that always pays. The ledger does little work, so that it does not hide differences of times. Thread-safety:
// one thread at a time.
class PlainLedger final : public Ledger, private Outbox {
 public:
  Result<Payment> pay(const Task&, UnixSeconds, const std::function<Result<ReportBytes>()>& randomize) override {
    auto bytes = randomize();
    if (!bytes) return bytes.error();
    waiting_.assign(1, {1, *std::move(bytes)});
    return Payment::kReported;
  }
  Result<void> note_server_time(UnixSeconds) override { return {}; }
  Outbox& outbox() override { return *this; }
  Result<void> opt_out() override { return {}; }
  Result<void> opt_in() override { return {}; }
  Result<bool> opted_out() const override { return false; }

 private:
  Result<std::vector<PendingReport>> pending(const TaskId&, UnixSeconds, std::size_t) override { return waiting_; }
  Result<void> settle(std::span<const Settlement>, UnixSeconds) override {
    waiting_.clear();
    return {};
  }
  Result<std::vector<LoggedReport>> log(std::size_t) const override { return std::vector<LoggedReport>(); }

  std::vector<PendingReport> waiting_;
};

// Answers at once, and records the time of the last upload.
class WatchedTransport final : public Transport {
 public:
  Result<TransportResponse> get(std::string_view, const ExchangeLimits&) override { return tests::answer(204); }
  Result<TransportResponse> post(std::string_view, std::string_view, std::span<const std::uint8_t> body,
                                 const ExchangeLimits&) override {
    when = steady_clock::now();
    bytes.assign(body.begin(), body.end());
    return tests::answer(204);
  }

  steady_clock::time_point when;
  ReportBytes bytes;
};

// A device that makes `reports` reports. Uploads run in the background. After each upload the device makes the next
// report.
class Device {
 public:
  Device(const Task& task, RandomDelay delay, std::size_t reports) : task_(task), reports_(reports) {
    const std::size_t attributes = task.schema().attributes().size();
    for (const std::uint32_t value : {0U, 1U}) {
      records_.push_back(Record::create(task.schema(), std::vector<std::uint32_t>(attributes, value)).value());
    }
    BackgroundFlushOptions options;
    options.delay = delay;
    options.outcome = [this](const Result<FlushSummary>& result) { next(result); };
    background_ = BackgroundFlush::start(client_, options).value();
    ready_ = true;
  }
  ~Device() { background_->stop(); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::vector<Observation> wait() {
    while (!done_) std::this_thread::sleep_for(milliseconds(1));
    return seen_;
  }

 private:
  // Runs on the thread of the background flush. The first flush comes before the first report.
  void next(const Result<FlushSummary>& result) {
    while (!ready_) std::this_thread::yield();
    if (result && result->delivered == 1) observe();
    if (seen_.size() == reports_) {
      done_ = true;
      return;
    }
    record_ = random_() % 2 == 1;
    const Record record = records_[record_ ? 1 : 0];  // both records are at the same place in memory
    called_ = steady_clock::now();
    const auto paid = client_.submit(record);
    returned_ = steady_clock::now();
    background_->wake();
    if (!paid) std::abort();
  }

  void observe() {
    std::span<const std::uint8_t> rest(transport_.bytes);
    const auto report = read_report(rest);
    const auto& channel = std::get<LaplaceChannel>(task_.channel().kind());
    std::vector<std::int32_t> values(channel.coordinates());
    if (!report || !channel.unpack(report->payload, values)) std::abort();
    double noise = 0;
    for (const std::int32_t value : values) noise += std::abs(value - (record_ ? 1 : -1));
    const auto ns = [](steady_clock::duration span) { return std::chrono::duration<double, std::nano>(span).count(); };
    seen_.push_back({noise, ns(returned_ - called_), ns(transport_.when - called_), record_});
  }

  const Task task_;
  const std::size_t reports_;
  std::mt19937 random_{std::random_device()()};
  std::vector<Record> records_;
  WatchedTransport transport_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  PlainLedger ledger_;
  Client client_ = Client::create({task_.id(), task_.epsilon(), {}, "", {.max_uploads_per_minute = UINT32_MAX}}, task_,
                                  {transport_, ledger_, *clock_})
                       .value();
  steady_clock::time_point called_;
  steady_clock::time_point returned_;
  bool record_ = false;
  std::vector<Observation> seen_;
  std::atomic<bool> ready_{false};
  std::atomic<bool> done_{false};
  std::unique_ptr<BackgroundFlush> background_;  // destroyed first
};

std::vector<Observation> observe(RandomDelay delay, std::size_t reports) {
  TaskSpec spec = tests::small_task("b b b b b b b b b b b b b b b b").spec();
  spec.task_start = make_system_clock()->now() / tests::kDay * tests::kDay;
  const Task task = Task::create(std::move(spec)).value();
  std::vector<std::unique_ptr<Device>> devices;
  for (std::size_t i = 0; i < kClients; ++i) {
    devices.push_back(std::make_unique<Device>(task, delay, (reports + kClients - 1) / kClients));
  }
  std::vector<Observation> all;
  for (const auto& device : devices) {
    const auto seen = device->wait();
    all.insert(all.end(), seen.begin(), seen.end());
  }
  return all;
}

// Returns the ranks of the values. Equal values have the same rank. With ranks, a few late uploads on a busy machine
// weigh no more than others.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> of(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    const double middle = static_cast<double>(i + end - 1) / 2;
    for (; i < end; ++i) of[order[i]] = middle;
  }
  return of;
}

// Returns Spearman's rank correlation of two values of each observation.
template <class First, class Second>
double correlation(const std::vector<Observation>& all, const First& first, const Second& second) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Observation& one : all) {
    x.push_back(first(one));
    y.push_back(second(one));
  }
  x = ranks(x);
  y = ranks(y);
  const double mean = static_cast<double>(all.size() - 1) / 2;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

double noise_of(const Observation& one) { return one.noise; }
double submit_of(const Observation& one) { return one.submit_ns; }
double upload_of(const Observation& one) { return one.upload_ns; }
double below_a_millisecond(const Observation& one) { return std::fmod(one.upload_ns, 1e6); }

struct Difference {
  double ns;
  double t;  // Welch's statistic
};

// Returns the mean time of submit() with one record minus the mean time with the other record. The slowest tenth is
// left out, since the machine causes such times.
Difference difference_of_records(std::vector<Observation> all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.submit_ns < b.submit_ns; });
  all.resize(all.size() * 9 / 10);
  double sum[2] = {0, 0};
  double squares[2] = {0, 0};
  double count[2] = {0, 0};
  for (const Observation& one : all) {
    const int i = one.record ? 1 : 0;
    sum[i] += one.submit_ns;
    squares[i] += one.submit_ns * one.submit_ns;
    count[i] += 1;
  }
  double mean[2];
  double error[2];
  for (const int i : {0, 1}) {
    mean[i] = sum[i] / count[i];
    error[i] = (squares[i] / count[i] - mean[i] * mean[i]) / count[i];
  }
  return {mean[1] - mean[0], (mean[1] - mean[0]) / std::sqrt(error[0] + error[1])};
}

// HEARSAY_TIMED_REPORTS is the number of reports (2,000 by default).
//
// The observer knows the moment of the call and the moment of the upload. (In reality the network does not show the
// moment of the call.) If the time of the upload is independent of the noise, their rank correlation has mean 0 and
// variance 1/(n-1), and is nearly normal. The two comparisons have a false alarm of 1e-7 together. So the limit is
// 5.45/√(n-1): 0.122 for 2,000 reports, 0.0055 for 10^6.
//
// The time of the draw causes a small true correlation: the standard deviation of the time of the draw, divided by that
// of the delay, kSpan/√12. The correlation is near 0.0055 only if the time of a draw varies by 30 µs with the noise.
TEST_CASE("the moment of an upload says nothing about the noise") {
  const char* text = std::getenv("HEARSAY_TIMED_REPORTS");
  const std::size_t reports = text == nullptr ? 2'000 : static_cast<std::size_t>(std::atoll(text));
  const auto all = observe({RandomDelay::Law::kUniform, kSpan}, reports);
  REQUIRE(all.size() >= reports);
  const double limit = tests::normal_threshold(1e-7 / 2) / std::sqrt(static_cast<double>(all.size() - 1));
  const double upload = correlation(all, upload_of, noise_of);
  const double below = correlation(all, below_a_millisecond, noise_of);
  CHECK(std::abs(upload) < limit);
  CHECK(std::abs(below) < limit);

  // Planted: times that contain the ranks of the noise, so that the correlation is 2.5 times the limit.
  const double n = static_cast<double>(all.size());
  std::vector<double> noise;
  std::vector<double> times;
  for (const Observation& one : all) {
    noise.push_back(one.noise);
    times.push_back(one.upload_ns);
  }
  noise = ranks(noise);
  times = ranks(times);
  std::vector<Observation> leaking = all;
  for (std::size_t i = 0; i < all.size(); ++i) leaking[i].upload_ns = (times[i] + 2.5 * limit * noise[i]) / n;
  CHECK(std::abs(correlation(leaking, upload_of, noise_of)) > limit);

  MESSAGE(all.size() << " reports, delay uniform in " << kSpan.count() << " ms: correlation with the noise " << upload
                     << " (of the part below a millisecond " << below << "); detection limit " << limit);
  const auto bare = observe({}, reports / 20);
  const Difference records = difference_of_records(all);
  MESSAGE("without a delay, " << bare.size() << " reports: " << correlation(bare, upload_of, noise_of)
                              << "; submit() itself against the noise, which its caller sees: "
                              << correlation(all, submit_of, noise_of) << "; between two records " << records.ns
                              << " ns (Welch's t " << records.t << ")");
}

}  // namespace
}  // namespace hearsay::sdk
