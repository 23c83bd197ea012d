// Symbols: those of report_variance.cc.

#include "aggregator/planner/literal_variance.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "aggregator/planner/worst_population.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMaxExact = std::size_t{1} << 16U;
constexpr std::size_t kMaxSteps = 2000;

// A group that covers some of the query's coordinates.
struct Piece {
  double probability;
  double gamma;
  std::vector<std::uint32_t> coordinates;
  std::vector<double> ratios;  // g_j/I_j

  double signal(std::span<const std::int8_t> embedding) const {
    double sum = 0;
    for (std::size_t k = 0; k < coordinates.size(); ++k) sum += ratios[k] * embedding[coordinates[k]];
    return sum;
  }
  double mean_square() const {
    double sum = 0;
    for (const double ratio : ratios) sum += ratio * ratio;
    return sum;
  }
  // Returns a bound on |signal| that holds for every record.
  double largest_signal() const {
    double sum = 0;
    for (const double ratio : ratios) sum += std::abs(ratio);
    return sum;
  }
  double noise() const { return probability * (1 - gamma) * gamma * gamma * mean_square(); }
  double of_square() const { return probability * gamma * gamma * gamma; }        // the factor of E[s_G²]
  double of_mean() const { return probability * gamma * gamma * gamma * gamma; }  // the factor of E[s_G]²
};

std::vector<Piece> pieces_of(const SampledChannel& channel, const compiler::LinearQuery& linear) {
  std::unordered_map<std::uint32_t, double> ratios;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    ratios.emplace(weight.coordinate, weight.value / channel.literal_information(weight.coordinate));
  }
  std::vector<Piece> pieces;
  std::vector<SampledChannel::Covered> covered;
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const SampledChannel::GroupClass& group_class = channel.class_of(group);
    channel.covered(group, covered);
    Piece piece{channel.coverage(group_class, {}), channel.gamma(group_class), {}, {}};
    for (const SampledChannel::Covered& one : covered) {
      const auto ratio = ratios.find(one.coordinate);
      if (ratio == ratios.end()) continue;
      piece.coordinates.push_back(one.coordinate);
      piece.ratios.push_back(ratio->second);
    }
    if (!piece.coordinates.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

// Calls visit(record) for every combination of values of the attributes. All other attributes have the value 0.
template <class Visit>
void for_each_record(const Schema& schema, std::span<const std::uint32_t> attributes, Visit&& visit) {
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (;;) {
    visit(Record::create(schema, values).value());
    std::size_t i = 0;
    while (i < attributes.size() && ++values[attributes[i]] == schema[attributes[i]].size())
      values[attributes[i++]] = 0;
    if (i == attributes.size()) return;
  }
}

// Computes n·Var - share·ω(1-ω) (symbols: report_variance.cc), without the noise, for mixtures of some populations (the
// vertices). set_share() sets the share.
class Mixtures {
 public:
  Mixtures(const std::vector<Piece>& pieces, std::size_t vertices)
      : pieces_(pieces),
        people_(vertices),
        omega_(vertices),
        mean_(vertices, std::vector<double>(pieces.size())),
        square_(mean_) {}

  // Adds a record to a vertex, with `part` of the people. `signals` are the pieces' signals for this record.
  void add(std::size_t vertex, double part, bool satisfied, const std::vector<double>& signals) {
    people_[vertex] += part;
    omega_[vertex] += satisfied ? part : 0;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      mean_[vertex][p] += part * signals[p];
      square_[vertex][p] += part * signals[p] * signals[p];
    }
  }
  // Makes the parts of each vertex sum to 1. Call this after the last add().
  void normalise() {
    for (std::size_t v = 0; v < vertices(); ++v) {
      omega_[v] /= people_[v];
      for (double& mean : mean_[v]) mean /= people_[v];
      for (double& square : square_[v]) square /= people_[v];
    }
  }
  void set_share(double share) { share_ = share; }

  struct Moments {
    double linear;  // the mean of linear() over the vertices
    double omega;
    std::vector<double> mean;  // for each piece, whose group is G: E[s_G]
  };

  std::size_t vertices() const { return omega_.size(); }
  Moments moments(const std::vector<double>& parts) const {
    Moments sum{0, 0, std::vector<double>(pieces_.size(), 0.0)};
    for (std::size_t v = 0; v < vertices(); ++v) {
      sum.linear += parts[v] * linear(v);
      sum.omega += parts[v] * omega_[v];
      for (std::size_t p = 0; p < pieces_.size(); ++p) sum.mean[p] += parts[v] * mean_[v][p];
    }
    return sum;
  }
  double slopes(const Moments& at, std::vector<double>& out) const {
    double value = at.linear + share_ * at.omega * at.omega;
    for (std::size_t p = 0; p < pieces_.size(); ++p) value -= pieces_[p].of_mean() * at.mean[p] * at.mean[p];
    for (std::size_t v = 0; v < vertices(); ++v) {
      out[v] = linear(v) - at.linear + 2 * share_ * at.omega * (omega_[v] - at.omega);
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        out[v] -= 2 * pieces_[p].of_mean() * at.mean[p] * (mean_[v][p] - at.mean[p]);
      }
    }
    return value;
  }
  double bend(const Moments& step) const {
    double sum = share_ * step.omega * step.omega;
    for (std::size_t p = 0; p < pieces_.size(); ++p) sum -= pieces_[p].of_mean() * step.mean[p] * step.mean[p];
    return sum;
  }

 private:
  double linear(std::size_t v) const {
    double sum = -share_ * omega_[v];
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      sum += pieces_[p].of_square() * square_[v][p];
    }
    return sum;
  }

  const std::vector<Piece>& pieces_;
  std::vector<double> people_;
  std::vector<double> omega_;
  std::vector<std::vector<double>> mean_;    // [vertex][piece]: E[s_G]
  std::vector<std::vector<double>> square_;  // E[s_G²]
  double share_ = 0;
};

// Computes the pieces' signals. A literal depends on one attribute, so a signal is a sum with one part for each
// attribute.
class Signals {
 public:
  Signals(const Task& task, const std::vector<Piece>& pieces, std::span<const std::uint32_t> attributes)
      : attributes_(attributes.begin(), attributes.end()) {
    std::vector<std::uint32_t> values(task.schema().size(), 0);
    std::vector<std::int8_t> embedding(task.arrangement().dimension());
    const auto signals = [&] {
      task.arrangement().encode(Record::create(task.schema(), values).value(), embedding);
      std::vector<double> all;
      for (const Piece& piece : pieces) all.push_back(piece.signal(embedding));
      return all;
    };
    first_ = signals();
    for (const std::uint32_t attribute : attributes_) {
      std::vector<std::vector<double>>& changes = changes_.emplace_back();
      for (std::uint32_t value = 0; value < task.schema()[attribute].size(); ++value) {
        values[attribute] = value;
        changes.push_back(signals());
        for (std::size_t p = 0; p < pieces.size(); ++p) changes.back()[p] -= first_[p];
      }
      values[attribute] = 0;
    }
    signals_ = first_;
  }

  // Returns the signals of a record. Only the query's attributes count. The reference is valid until the next call.
  const std::vector<double>& of(const Record& record) {
    signals_ = first_;
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const std::vector<double>& change = changes_[i][record[attributes_[i]]];
      for (std::size_t p = 0; p < signals_.size(); ++p) signals_[p] += change[p];
    }
    return signals_;
  }

 private:
  std::vector<std::uint32_t> attributes_;
  std::vector<double> first_;                              // the signals of the record in which all values are 0
  std::vector<std::vector<std::vector<double>>> changes_;  // the change of the signals, by attribute and value
  std::vector<double> signals_;
};

// A query on one attribute is affine in its literals and right for every population, so each record is a vertex. Any
// other query assumes a random database, which is a mixture of two populations: one population for each class.
Mixtures mixtures_of(const Task& task, const Query& query, const compiler::LinearQuery& linear,
                     const std::vector<Piece>& pieces, std::span<const std::uint32_t> attributes, std::size_t records) {
  const bool any_population = linear.guarantee == compiler::Guarantee::kWorstCase;
  Mixtures mixtures(pieces, any_population ? records : 2);
  Signals signals(task, pieces, attributes);
  std::size_t record_number = 0;
  for_each_record(task.schema(), attributes, [&](const Record& record) {
    const bool satisfied = query.evaluate(record);
    const std::size_t of_class = satisfied ? 1 : 0;
    mixtures.add(any_population ? record_number++ : of_class, 1, satisfied, signals.of(record));
  });
  mixtures.normalise();
  return mixtures;
}

std::size_t records_of(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::size_t records = 1;
  for (const std::uint32_t i : attributes) records = std::min(records * schema[i].size(), kMaxExact + 1);
  return records;
}

}  // namespace

ReportVariance literal_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const std::vector<Piece> pieces = pieces_of(channel, linear);
  ReportVariance result{};
  double noise = 0;
  double bound = 0;
  for (const Piece& piece : pieces) {
    const double signal = piece.largest_signal();
    noise += piece.noise();
    bound += piece.of_square() * signal * signal;
    result.influence = std::max(result.influence, 2 * piece.gamma * signal);
  }
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    result.average += weight.value * weight.value / channel.literal_information(weight.coordinate);
  }
  const std::vector<std::uint32_t> attributes = query.attributes();
  const std::size_t records = records_of(task.schema(), attributes);
  result.exact = pieces.empty() || pieces.size() <= kMaxExact / records;
  result.worst = result.worst_among_reporters = noise + bound;
  if (result.exact && !pieces.empty()) {
    Mixtures mixtures = mixtures_of(task, query, linear, pieces, attributes, records);
    const Maximum anew = largest(mixtures, result.average, kMaxSteps);
    mixtures.set_share(1);
    const Maximum among = largest(mixtures, result.average, kMaxSteps);
    result.worst = noise + std::min(anew.value, bound);
    result.worst_among_reporters = noise + std::min(among.value, bound);
    result.exact = anew.exact && among.exact;
  }
  if (result.worst_among_reporters > 0) result.kurtosis = std::pow(result.influence, 2) / result.worst_among_reporters;
  return result;
}

double literal_variance_among(const Task& task, const compiler::LinearQuery& linear, const std::vector<Record>& records,
                              const std::vector<double>& people) {
  const std::vector<Piece> pieces = pieces_of(std::get<SampledChannel>(task.channel().kind()), linear);
  Mixtures population(pieces, 1);
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  std::vector<double> signals(pieces.size());
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    task.arrangement().encode(records[i], embedding);
    for (std::size_t p = 0; p < pieces.size(); ++p) signals[p] = pieces[p].signal(embedding);
    population.add(0, people[i], false, signals);
    double value = linear.offset;
    for (const compiler::LinearQuery::Weight& weight : linear.weights)
      value += weight.value * embedding[weight.coordinate];
    mean += people[i] * value;
    square += people[i] * value * value;
  }
  double noise = 0;
  for (const Piece& piece : pieces) noise += piece.noise();
  std::vector<double> slopes(1);
  return noise + population.slopes(population.moments({1.0}), slopes) - (square - mean * mean);
}

}  // namespace hearsay::planner
