// Counters, gauges and histograms for the operator, in Prometheus' text exposition format 0.0.4.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hearsay::metrics {

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

// Pairs of name and value, in any order.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Only goes up. Thread-safe; an increment is one relaxed atomic addition on a cache line of its own.
class alignas(64) Counter {
 public:
  void increment(std::uint64_t amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// How often values fell into fixed buckets, each twice as wide as the one before: up to 1 µs, 2 µs, … 2^26 µs (67 s)
// for durations, up to 1, 2, … 2^26 for sizes, and one for what is larger. Thread-safe; an observation is two relaxed
// atomic additions, no lock, no allocation.
class alignas(64) Histogram {
 public:
  enum class Unit : std::uint8_t { kSeconds, kCount };
  static constexpr std::size_t kBounds = 27;

  explicit Histogram(Unit unit) noexcept : unit_(unit) {}

  // For kSeconds; a negative duration counts as 0.
  void observe(std::chrono::nanoseconds duration) noexcept {
    const auto nanoseconds = static_cast<std::uint64_t>(duration.count() < 0 ? 0 : duration.count());
    add((nanoseconds + 999) / 1000, nanoseconds);
  }
  // For kCount.
  void observe(std::uint64_t value) noexcept { add(value, value); }

  Unit unit() const noexcept { return unit_; }
  // Observations of at most bound i (and more than the one before); the last of the kBounds + 1 has no bound.
  std::array<std::uint64_t, kBounds + 1> buckets() const noexcept;
  double sum() const noexcept;  // in seconds, or of the values
  // Bound i in seconds, or as a value.
  double bound(std::size_t i) const noexcept;

 private:
  // `steps` in units of the smallest bound, rounded up.
  void add(std::uint64_t steps, std::uint64_t amount) noexcept {
    const std::size_t bucket = steps <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(steps - 1));
    counts_[bucket < kBounds ? bucket : kBounds].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(amount, std::memory_order_relaxed);
  }

  const Unit unit_;
  std::array<std::atomic<std::uint64_t>, kBounds + 1> counts_{};
  std::atomic<std::uint64_t> sum_ = 0;  // nanoseconds, or the values
};

// All metrics of a process. Thread-safe. What it hands out stays valid as long as the registry; nothing is ever
// removed.
//
// Naming a metric is cheap enough for start-up and for the first report of a task, but takes a lock: keep the reference
// for the hot path. The same name and labels give the same object. Misuse is a programming error and throws
// std::logic_error: names that are no Prometheus names, a repeated label, and one name used for two kinds of metric or
// with two help texts.
class MetricsRegistry {
 public:
  // `common` are labels of every metric, beside its own.
  explicit MetricsRegistry(MetricLabels common = {}) : common_(std::move(common)) {}

  Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  // All series of a name have one unit. A label must not be called "le".
  Histogram& histogram(std::string_view name, std::string_view help, Histogram::Unit unit,
                       const MetricLabels& labels = {});

  // Values that live elsewhere, read at every scrape, on the scraping thread and without the registry's lock. `sample`
  // must be thread-safe, must not throw, and must work as long as render() is called. Each can be given once.
  void sampled_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                       std::function<std::uint64_t()> sample);
  void sampled_seconds_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                               std::function<double()> sample);
  void sampled_gauge(std::string_view name, std::string_view help, const MetricLabels& labels,
                     std::function<double()> sample);

  // The exposition: families by name, series by labels. Never tears a value, but is no snapshot across metrics.
  std::string render() const;

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  using Series = std::variant<std::monostate, Counter, std::unique_ptr<Histogram>, std::function<std::uint64_t()>,
                              std::function<double()>>;
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, Series> series;  // by the text of the labels, "" or "{…}"
  };

  // The lock is held for both.
  Series& find(std::string_view name, std::string_view help, Kind kind, const MetricLabels& labels);
  Series& find_new(std::string_view name, std::string_view help, Kind kind, const MetricLabels& labels);

  const MetricLabels common_;
  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;  // nodes never move, so pointers into them outlive the lock
};

}  // namespace hearsay::metrics
