#include "aggregator/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace hearsay::metrics {

namespace {

constexpr std::array<std::string_view, 3> kKinds{"counter", "gauge", "histogram"};

// Returns true for [a-zA-Z_][a-zA-Z0-9_]*, which Prometheus allows. If `colons` is true, as for names of metrics,
// colons are allowed, too.
bool is_name(std::string_view name, bool colons) {
  const auto is_first = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
  };
  return !name.empty() && is_first(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_first(c) || (c >= '0' && c <= '9'); });
}

// Escapes backslash and line feed, and with `quotes` also the double quote, as values of labels need.
std::string escape(std::string_view text, bool quotes) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || (quotes && c == '"')) escaped.push_back('\\');
    if (c == '\n') {
      escaped.append("\\n");
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string label_text(MetricLabels labels) {
  if (labels.empty()) return {};
  std::sort(labels.begin(), labels.end());
  std::string text = "{";
  std::string_view previous;
  for (const auto& [name, value] : labels) {
    if (!is_name(name, false) || name.starts_with("__"))
      throw std::logic_error("a label must not have the name " + name);
    if (name == previous) throw std::logic_error("a label is given twice: " + name);
    previous = name;
    if (text.size() > 1) text.push_back(',');
    text.append(name).append("=\"").append(escape(value, true)).push_back('"');
  }
  text.push_back('}');
  return text;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

struct Renderer {
  const std::string& name;
  const std::string& labels;  // "" or "{…}"
  std::string& out;

  void line(std::string_view suffix, const std::string& own_labels, const std::string& value) const {
    out.append(name).append(suffix).append(own_labels).append(" ").append(value).append("\n");
  }
  void operator()(std::monostate) const {}
  void operator()(const Counter& counter) const { line("", labels, number(counter.value())); }
  template <class Value>
  void operator()(const std::function<Value()>& sample) const {
    line("", labels, number(sample()));
  }
  // `_count` is the sum of the buckets that were read, so both agree even if values are observed meanwhile.
  void operator()(const std::unique_ptr<Histogram>& histogram) const {
    const auto buckets = histogram->buckets();
    const std::string others = labels.empty() ? "{" : labels.substr(0, labels.size() - 1) + ",";
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      count += buckets[i];
      const std::string bound = i < Histogram::kBounds ? number(histogram->bound(i)) : "+Inf";
      line("_bucket", others + "le=\"" + bound + "\"}", number(count));
    }
    line("_sum", labels, number(histogram->sum()));
    line("_count", labels, number(count));
  }
};

}  // namespace

std::array<std::uint64_t, Histogram::kBounds + 1> Histogram::buckets() const noexcept {
  std::array<std::uint64_t, kBounds + 1> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
  return counts;
}

double Histogram::sum() const noexcept {
  const auto sum = static_cast<double>(sum_.load(std::memory_order_relaxed));
  return unit_ == Unit::kSeconds ? sum / 1e9 : sum;
}

double Histogram::bound(std::size_t i) const noexcept {
  const auto steps = static_cast<double>(std::uint64_t{1} << i);
  return unit_ == Unit::kSeconds ? steps / 1e6 : steps;
}

MetricsRegistry::Series& MetricsRegistry::find(std::string_view name, std::string_view help, Kind kind,
                                               const MetricLabels& labels) {
  if (!is_name(name, true)) throw std::logic_error("a metric must not have the name " + std::string(name));
  MetricLabels all = labels;
  all.insert(all.end(), common_.begin(), common_.end());
  const std::string text = label_text(std::move(all));
  auto family = families_.find(name);
  if (family == families_.end()) {
    family = families_.emplace(std::string(name), Family{kind, std::string(help), {}}).first;
  }
  if (family->second.kind != kind || family->second.help != help) {
    throw std::logic_error("two metrics have the name " + std::string(name));
  }
  return family->second.series[text];
}

MetricsRegistry::Series& MetricsRegistry::find_new(std::string_view name, std::string_view help, Kind kind,
                                                   const MetricLabels& labels) {
  Series& series = find(name, help, kind, labels);
  if (!std::holds_alternative<std::monostate>(series))
    throw std::logic_error("a metric with these labels exists already: " + std::string(name));
  return series;
}

Counter& MetricsRegistry::counter(std::string_view name, std::string_view help, const MetricLabels& labels) {
  const std::lock_guard lock(mutex_);
  Series& series = find(name, help, Kind::kCounter, labels);
  if (std::holds_alternative<std::monostate>(series)) series.emplace<Counter>();
  if (auto* counter = std::get_if<Counter>(&series)) return *counter;
  throw std::logic_error("this metric is sampled already: " + std::string(name));
}

Histogram& MetricsRegistry::histogram(std::string_view name, std::string_view help, Histogram::Unit unit,
                                      const MetricLabels& labels) {
  for (const auto& [label, value] : labels) {
    if (label == "le") throw std::logic_error("the label le belongs to the buckets: " + std::string(name));
  }
  const std::lock_guard lock(mutex_);
  Series& series = find(name, help, Kind::kHistogram, labels);
  if (std::holds_alternative<std::monostate>(series)) series = std::make_unique<Histogram>(unit);
  Histogram& histogram = *std::get<std::unique_ptr<Histogram>>(series);
  if (histogram.unit() != unit)
    throw std::logic_error("two histograms of one name have different units: " + std::string(name));
  return histogram;
}

void MetricsRegistry::sampled_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                                      std::function<std::uint64_t()> sample) {
  const std::lock_guard lock(mutex_);
  find_new(name, help, Kind::kCounter, labels) = std::move(sample);
}

void MetricsRegistry::sampled_seconds_counter(std::string_view name, std::string_view help, const MetricLabels& labels,
                                              std::function<double()> sample) {
  const std::lock_guard lock(mutex_);
  find_new(name, help, Kind::kCounter, labels) = std::move(sample);
}

void MetricsRegistry::sampled_gauge(std::string_view name, std::string_view help, const MetricLabels& labels,
                                    std::function<double()> sample) {
  const std::lock_guard lock(mutex_);
  find_new(name, help, Kind::kGauge, labels) = std::move(sample);
}

std::string MetricsRegistry::render() const {
  struct Entry {
    const std::string* name;
    const Family* family;
    std::vector<std::pair<const std::string*, const Series*>> series;
  };
  std::vector<Entry> entries;
  {
    // Sampling functions may take locks of their own, so render() calls the functions without this lock.
    const std::lock_guard lock(mutex_);
    entries.reserve(families_.size());
    for (const auto& [name, family] : families_) {
      Entry& entry = entries.emplace_back(Entry{&name, &family, {}});
      for (const auto& [labels, series] : family.series) entry.series.emplace_back(&labels, &series);
    }
  }

  std::string out;
  for (const Entry& entry : entries) {
    out.append("# HELP ").append(*entry.name).append(" ").append(escape(entry.family->help, false)).append("\n");
    out.append("# TYPE ").append(*entry.name);
    out.append(" ").append(kKinds[static_cast<std::size_t>(entry.family->kind)]).append("\n");
    for (const auto& [labels, series] : entry.series) std::visit(Renderer{*entry.name, *labels, out}, *series);
  }
  return out;
}

}  // namespace hearsay::metrics
