#include "aggregator/metrics/metrics.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hearsay::metrics {
namespace {

TEST_CASE("an empty registry gives an empty text") { CHECK(MetricsRegistry().render().empty()); }

TEST_CASE("the exposition of the metrics is sorted, typed and complete") {
  MetricsRegistry registry;
  registry.sampled_gauge("hearsay_queue_depth", "Reports waiting.", {}, [] { return 2.5; });
  registry.counter("hearsay_reports_total", "Reports by outcome.", {{"outcome", "replayed"}, {"task", "b"}})
      .increment(7);
  registry.counter("hearsay_reports_total", "Reports by outcome.", {{"task", "a"}, {"outcome", "accepted"}})
      .increment();
  registry.sampled_counter("hearsay_handshakes_total", "TLS handshakes.", {}, [] { return std::uint64_t{41}; });
  registry.sampled_gauge("hearsay_queue_depth", "Reports waiting.", {{"stage", "commit"}}, [] { return -1.0; });

  CHECK(registry.render() ==
        "# HELP hearsay_handshakes_total TLS handshakes.\n"
        "# TYPE hearsay_handshakes_total counter\n"
        "hearsay_handshakes_total 41\n"
        "# HELP hearsay_queue_depth Reports waiting.\n"
        "# TYPE hearsay_queue_depth gauge\n"
        "hearsay_queue_depth 2.5\n"
        "hearsay_queue_depth{stage=\"commit\"} -1\n"
        "# HELP hearsay_reports_total Reports by outcome.\n"
        "# TYPE hearsay_reports_total counter\n"
        "hearsay_reports_total{outcome=\"accepted\",task=\"a\"} 1\n"
        "hearsay_reports_total{outcome=\"replayed\",task=\"b\"} 7\n");
}

TEST_CASE("every metric has the common labels, sorted among its own labels and given only once") {
  MetricsRegistry registry(MetricLabels{{"instance", "a"}});
  registry.counter("x_total", "h").increment();
  registry.counter("y_total", "h", {{"zone", "1"}, {"area", "2"}}).increment(3);
  registry.sampled_gauge("z", "h", {}, [] { return 4.0; });
  registry.histogram("h", "h", Histogram::Unit::kCount).observe(1);
  const std::string text = registry.render();
  for (const char* line :
       {"x_total{instance=\"a\"} 1\n", "y_total{area=\"2\",instance=\"a\",zone=\"1\"} 3\n", "z{instance=\"a\"} 4\n",
        "h_bucket{instance=\"a\",le=\"1\"} 1\n", "h_count{instance=\"a\"} 1\n"}) {
    CAPTURE(line);
    CHECK(text.find(std::string("\n") + line) != std::string::npos);
  }
  CHECK_THROWS_AS(registry.counter("w_total", "h", {{"instance", "b"}}), std::logic_error);
}

TEST_CASE("label values and help texts are escaped, each in its own way") {
  MetricsRegistry registry;
  registry.counter("x_total", "a\\b \"c\"\nd", {{"label", "a\\b \"c\"\nd é"}});
  CHECK(registry.render() ==
        "# HELP x_total a\\\\b \"c\"\\nd\n"
        "# TYPE x_total counter\n"
        "x_total{label=\"a\\\\b \\\"c\\\"\\nd é\"} 0\n");
}

TEST_CASE("numbers are written as Prometheus reads them") {
  const std::vector<std::pair<double, std::string>> table = {
      {std::numeric_limits<double>::infinity(), "+Inf"},
      {-std::numeric_limits<double>::infinity(), "-Inf"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
      {0.1, "0.1"},
      {1e300, "1e+300"},
      {3, "3"},
  };
  for (const auto& [value, text] : table) {
    MetricsRegistry registry;
    registry.sampled_gauge("g", "h", {}, [value = value] { return value; });
    CHECK(registry.render() == "# HELP g h\n# TYPE g gauge\ng " + text + "\n");
  }
  MetricsRegistry registry;
  registry.counter("c", "h").increment(std::numeric_limits<std::uint64_t>::max());
  CHECK(registry.render() == "# HELP c h\n# TYPE c counter\nc 18446744073709551615\n");
}

TEST_CASE("metrics with the same name and labels are the same metric, whatever the order of the labels") {
  MetricsRegistry registry;
  Counter& first = registry.counter("c_total", "h", {{"a", "1"}, {"b", "2"}});
  CHECK(&first == &registry.counter("c_total", "h", {{"b", "2"}, {"a", "1"}}));
  CHECK(&first != &registry.counter("c_total", "h", {{"a", "1"}, {"b", "3"}}));
}

TEST_CASE("names, labels and types that the format forbids are refused") {
  MetricsRegistry registry;
  for (const char* name : {"", "1x", "a-b", "a b", "a\n", "é"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(registry.counter(name, "h"), std::logic_error);
    CHECK_THROWS_AS(registry.counter("x_total", "h", {{name, "v"}}), std::logic_error);
  }
  CHECK_THROWS_AS(registry.counter("x_total", "h", {{"a:b", "v"}}), std::logic_error);
  CHECK_THROWS_AS(registry.counter("x_total", "h", {{"__name__", "v"}}), std::logic_error);
  CHECK_THROWS_AS(registry.counter("x_total", "h", {{"a", "1"}, {"a", "2"}}), std::logic_error);

  registry.counter("taken", "h");
  CHECK_THROWS_AS(registry.sampled_gauge("taken", "h", {}, [] { return 1.0; }), std::logic_error);
  CHECK_THROWS_AS(registry.counter("taken", "other help"), std::logic_error);
  CHECK_THROWS_AS(registry.sampled_counter("taken", "h", {}, [] { return std::uint64_t{1}; }), std::logic_error);
  registry.sampled_gauge("sampled", "h", {}, [] { return 1.0; });
  CHECK_THROWS_AS(registry.counter("sampled", "h"), std::logic_error);
  CHECK_THROWS_AS(registry.sampled_gauge("sampled", "h", {}, [] { return 2.0; }), std::logic_error);
}

std::string value_of(const std::string& text, const std::string& series) {
  const std::size_t at = text.find("\n" + series + " ");
  if (at == std::string::npos) return "absent";
  const std::size_t first = at + series.size() + 2;
  return text.substr(first, text.find('\n', first) - first);
}

TEST_CASE("a duration counts in the first bucket whose bound it does not exceed") {
  using std::chrono::microseconds;
  using std::chrono::nanoseconds;
  struct Case {
    nanoseconds duration;
    std::size_t bucket;
  };
  for (const Case& c : std::vector<Case>{{nanoseconds(-5), 0},
                                         {nanoseconds(0), 0},
                                         {nanoseconds(1), 0},
                                         {microseconds(1), 0},
                                         {nanoseconds(1001), 1},
                                         {microseconds(2), 1},
                                         {nanoseconds(2001), 2},
                                         {microseconds(4), 2},
                                         {microseconds(1024), 10},
                                         {microseconds(1025), 11},
                                         {microseconds(1 << 26), 26},
                                         {microseconds((1 << 26) + 1), 27},
                                         {nanoseconds::max(), 27}}) {
    CAPTURE(c.duration.count());
    Histogram histogram(Histogram::Unit::kSeconds);
    histogram.observe(c.duration);
    const auto buckets = histogram.buckets();
    for (std::size_t i = 0; i < buckets.size(); ++i) CHECK(buckets[i] == (i == c.bucket ? 1 : 0));
  }
}

TEST_CASE("the text of a histogram is cumulative, with the labels of its series") {
  MetricsRegistry registry;
  Histogram& histogram = registry.histogram("stage_seconds", "Time.", Histogram::Unit::kSeconds, {{"stage", "commit"}});
  CHECK(&histogram == &registry.histogram("stage_seconds", "Time.", Histogram::Unit::kSeconds, {{"stage", "commit"}}));
  histogram.observe(std::chrono::microseconds(3));
  histogram.observe(std::chrono::microseconds(4));
  histogram.observe(std::chrono::milliseconds(2));
  histogram.observe(std::chrono::seconds(100));
  const std::string text = registry.render();
  CHECK(text.starts_with("# HELP stage_seconds Time.\n# TYPE stage_seconds histogram\n"));
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="1e-06"})") == "0");
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="4e-06"})") == "2");
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="0.001024"})") == "2");
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="0.002048"})") == "3");
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="67.108864"})") == "3");
  CHECK(value_of(text, R"(stage_seconds_bucket{stage="commit",le="+Inf"})") == "4");
  CHECK(value_of(text, R"(stage_seconds_count{stage="commit"})") == "4");
  CHECK(value_of(text, R"(stage_seconds_sum{stage="commit"})") == "100.002007");
}

TEST_CASE("a histogram can count sizes") {
  MetricsRegistry registry;
  Histogram& histogram = registry.histogram("sizes", "Sizes.", Histogram::Unit::kCount);
  for (const std::uint64_t size : {0U, 1U, 2U, 3U, 1000U}) histogram.observe(size);
  const std::string text = registry.render();
  CHECK(value_of(text, R"(sizes_bucket{le="1"})") == "2");
  CHECK(value_of(text, R"(sizes_bucket{le="2"})") == "3");
  CHECK(value_of(text, R"(sizes_bucket{le="4"})") == "4");
  CHECK(value_of(text, R"(sizes_bucket{le="512"})") == "4");
  CHECK(value_of(text, R"(sizes_bucket{le="1024"})") == "5");
  CHECK(value_of(text, R"(sizes_bucket{le="67108864"})") == "5");
  CHECK(value_of(text, "sizes_sum") == "1006");
  CHECK(value_of(text, "sizes_count") == "5");
}

TEST_CASE("histograms with the label le, or with a name of another unit or type, are refused") {
  MetricsRegistry registry;
  registry.histogram("h", "h", Histogram::Unit::kCount);
  CHECK_THROWS_AS(registry.histogram("h", "h", Histogram::Unit::kSeconds), std::logic_error);
  CHECK_THROWS_AS(registry.histogram("x", "h", Histogram::Unit::kCount, {{"le", "1"}}), std::logic_error);
  CHECK_THROWS_AS(registry.counter("h", "h"), std::logic_error);
}

TEST_CASE("no increment is lost while many threads increment, register and scrape") {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  MetricsRegistry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&registry, t] {
      Counter& shared = registry.counter("shared_total", "h");
      Histogram& histogram = registry.histogram("sizes", "h", Histogram::Unit::kCount);
      for (int i = 0; i < kRounds; ++i) {
        shared.increment();
        histogram.observe(static_cast<std::uint64_t>(i % 3));
        if (i % 1000 == 0)
          registry.counter("own_total", "h", {{"thread", std::to_string(t * kRounds + i)}}).increment();
        if (i % 5000 == 0) CHECK(registry.render().starts_with("# HELP"));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(registry.counter("shared_total", "h").value() == kThreads * kRounds);
  const auto buckets = registry.histogram("sizes", "h", Histogram::Unit::kCount).buckets();
  CHECK(buckets[0] + buckets[1] == kThreads * kRounds);
}

TEST_CASE("a sampling function may use the registry") {
  MetricsRegistry registry;
  registry.sampled_gauge("a", "h", {}, [&] { return static_cast<double>(registry.counter("b_total", "h").value()); });
  registry.counter("b_total", "h").increment(5);
  CHECK(registry.render().find("\na 5\n") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::metrics
