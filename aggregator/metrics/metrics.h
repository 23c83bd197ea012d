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

// A number that only grows. Thread-safe. An increment is one relaxed atomic addition, on a cache line of its own.
class alignas(64) Counter {
 public:
  void increment(std::uint64_t amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// Counts how many values fell into each bucket. The buckets are fixed. The upper bounds are 1 µs, 2 µs, 4 µs, … 2^26 µs
// (67 s) for durations, and 1, 2, 4, … 2^26 for sizes; one more bucket is for larger values. Thread-safe. An
// observation is two relaxed atomic additions, without lock or allocation.
class alignas(64) Histogram {
 public:
  enum class Unit : std::uint8_t { kSeconds, kCount };
  static constexpr std::size_t kBounds = 27;

  explicit Histogram(Unit unit) noexcept : unit_(unit) {}

  // Counts a duration, for kSeconds. A negative duration counts as 0.
  void observe(std::chrono::nanoseconds duration) noexcept {
    const auto nanoseconds = static_cast<std::uint64_t>(duration.count() < 0 ? 0 : duration.count());
    add((nanoseconds + 999) / 1000, nanoseconds);
  }
  // Counts a value, for kCount.
  void observe(std::uint64_t value) noexcept { add(value, value); }

  Unit unit() const noexcept { return unit_; }
  // Returns, for each i, the number of observations above bound i - 1 and at most bound i. The last element has no
  // upper bound.
  std::array<std::uint64_t, kBounds + 1> buckets() const noexcept;
  double sum() const noexcept;  // the sum of the durations in seconds, or the sum of the values
  double bound(std::size_t i) const noexcept;

 private:
  // Adds an observation. `steps` is the value in units of the smallest bound, rounded up.
  void add(std::uint64_t steps, std::uint64_t amount) noexcept {
    const std::size_t bucket = steps <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(steps - 1));
    counts_[bucket < kBounds ? bucket : kBounds].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(amount, std::memory_order_relaxed);
  }

  const Unit unit_;
  std::array<std::atomic<std::uint64_t>, kBounds + 1> counts_{};
  std::atomic<std::uint64_t> sum_ = 0;  // in nanoseconds for kSeconds
};

// All metrics of a process. Metrics stay valid as long as the registry, because no metric can be removed. Thread-safe.
//
// A repeated call with equal name and labels returns the same object. Naming a metric takes a lock, so name each metric
// once and keep the reference. Misuse throws std::logic_error: an invalid Prometheus name, a repeated label, one name
// for two kinds of metric or with two help texts.
class MetricsRegistry {
 public:
  // `common`: labels that every metric gets beside its own.
  explicit MetricsRegistry(MetricLabels common = {}) : common_(std::move(common)) {}

  Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  // All series of a name must have the same unit. A label must not be called "le".
  Histogram& histogram(std::string_view name, std::string_view help, Histogram::Unit unit,
                       const MetricLabels& labels = {});

  // Registers a value that is kept elsewhere. Every scrape calls `sample` on the scraping thread, without the
  // registry's lock. `sample` must be thread-safe, must not throw, and must work until the last call of render(). A
  // name can be registered only once with the same labels.
  void sampled_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                       std::function<std::uint64_t()> sample);
  void sampled_seconds_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                               std::function<double()> sample);
  void sampled_gauge(std::string_view name, std::string_view help, const MetricLabels& labels,
                     std::function<double()> sample);

  // Returns all metrics in Prometheus' text format, sorted by name and then by labels. The values are not all from the
  // same moment.
  std::string render() const;

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  using Series = std::variant<std::monostate, Counter, std::unique_ptr<Histogram>, std::function<std::uint64_t()>,
                              std::function<double()>>;
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, Series> series;  // by the labels' text, "" or "{…}"
  };

  // The caller must hold the lock.
  Series& find(std::string_view name, std::string_view help, Kind kind, const MetricLabels& labels);
  Series& find_new(std::string_view name, std::string_view help, Kind kind, const MetricLabels& labels);

  const MetricLabels common_;
  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;  // nodes do not move, so pointers into them stay valid
};

}  // namespace hearsay::metrics
