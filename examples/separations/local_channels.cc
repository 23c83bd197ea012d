#include "examples/separations/local_channels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "examples/separations/parity_transform.h"

namespace hearsay::examples {
namespace {

// Attribute i of record x is true if bit i of x is 1.
Result<std::pair<Schema, std::vector<Record>>> records_of(unsigned bits) {
  std::vector<Attribute> attributes;
  for (unsigned i = 0; i < bits; ++i) {
    HEARSAY_TRY(Attribute attribute, Attribute::boolean("bit" + std::to_string(i)));
    attributes.push_back(std::move(attribute));
  }
  HEARSAY_TRY(Schema schema, Schema::create(std::move(attributes)));
  std::vector<Record> records;
  for (std::uint32_t x = 0; x < std::uint32_t{1} << bits; ++x) {
    std::vector<std::uint32_t> values(bits);
    for (unsigned i = 0; i < bits; ++i) values[i] = x >> i & 1U;
    HEARSAY_TRY(Record record, Record::create(schema, values));
    records.push_back(std::move(record));
  }
  return std::pair{std::move(schema), std::move(records)};
}

// Adds the contribution of one output z to all distances: |Σ_x (-1)^{r·x} Pr[z | x]|/2^d. `row` holds Pr[z | x] for
// each x, and is overwritten.
void add_output(std::vector<double>& row, std::vector<double>& distances) {
  walsh_hadamard(std::span<double>(row));
  for (std::size_t r = 1; r < row.size(); ++r) distances[r] += std::abs(row[r]) / static_cast<double>(row.size());
}

// All groups of a class are equally likely here, since every specification below has equal odds.
std::vector<double> sampled_distances(const SampledChannel& channel, const std::vector<Record>& records) {
  std::vector<double> distances(records.size(), 0);
  for (std::uint64_t group = 0; group < channel.groups(); ++group) {
    const SampledChannel::GroupClass& of = channel.class_of(group);
    const double chance =
        static_cast<double>(of.weight) / static_cast<double>(channel.total_weight()) / static_cast<double>(of.count);
    const double gamma = channel.gamma(of);
    std::vector<std::uint32_t> truth;
    for (const Record& record : records) truth.push_back(channel.true_value(group, record));
    for (std::uint32_t n = 0; n < of.answers; ++n) {
      const std::uint32_t answer = channel.nth_answer(group, n);
      std::vector<double> row;
      for (const std::uint32_t value : truth) {
        row.push_back(chance * ((value == answer ? gamma : 0) + (1 - gamma) / of.answers));
      }
      add_output(row, distances);
    }
  }
  return distances;
}

// For a channel with one coordinate for each bit. Given the record, the coordinates are independent, so the distances
// of the bits multiply.
std::vector<double> product_distances(const std::vector<double>& of_bits) {
  std::vector<double> distances(std::size_t{1} << of_bits.size(), 1);
  for (std::size_t r = 0; r < distances.size(); ++r) {
    for (std::size_t i = 0; i < of_bits.size(); ++i) {
      if ((r >> i & 1U) != 0) distances[r] *= of_bits[i];
    }
  }
  distances[0] = 0;
  return distances;
}

double laplace_probability(const LaplaceChannel& channel, std::size_t j, int a, std::int64_t y) {
  const double q = std::exp(-1 / channel.scale(j).approximate());
  const LaplaceChannel::Atom atom = channel.atom(j, a, y);
  return (atom.end ? 1 : 1 - q) / (1 + q) * std::pow(q, static_cast<double>(atom.power));
}

std::vector<double> laplace_distances(const LaplaceChannel& channel, unsigned bits) {
  std::vector<double> of_bits;
  for (std::size_t j = 0; j < bits; ++j) {
    double distance = 0;
    for (std::int64_t y = -channel.bound(j); y <= channel.bound(j); ++y) {
      distance += std::abs(laplace_probability(channel, j, 1, y) - laplace_probability(channel, j, -1, y)) / 2;
    }
    of_bits.push_back(distance);
  }
  return product_distances(of_bits);
}

struct Choice {
  std::string name;
  ArrangementSpec arrangement;
  ChannelSpec channel;
};

std::vector<Choice> own_choices(unsigned bits) {
  const auto groups = [](GroupKind kind, std::uint32_t size) { return SampledSpec{{{kind, size}}}; };
  std::vector<Choice> choices{
      {"literals, Laplace", LiteralsSpec{}, LaplaceSpec{}},
      {"literals, Laplace of the paper", LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kPaper, {}}},
      {"literals, sampled singly", LiteralsSpec{}, SampledSpec{{}, 1}}};
  if (bits >= 2) {
    choices.push_back({"literals, sampled in pairs", LiteralsSpec{}, SampledSpec{{}, 2}});
    choices.push_back({"characters of order 2, raw pairs", CharactersSpec{2}, groups(GroupKind::kRaw, 2)});
  }
  if (bits >= 3) {
    choices.push_back({"characters of order 3, raw triples", CharactersSpec{3}, groups(GroupKind::kRaw, 3)});
    choices.push_back({"characters of order 2, even triples", CharactersSpec{2}, groups(GroupKind::kEven, 3)});
  }
  return choices;
}

Result<LocalChannel> own_channel(const Choice& choice, const Schema& schema, const std::vector<Record>& records,
                                 const Epsilon& epsilon) {
  HEARSAY_TRY(const Arrangement arrangement, Arrangement::create(choice.arrangement, schema));
  HEARSAY_TRY(const Channel channel, Channel::create(choice.channel, arrangement, epsilon));
  if (const auto* sampled = std::get_if<SampledChannel>(&channel.kind())) {
    return LocalChannel{choice.name, sampled_distances(*sampled, records)};
  }
  const auto& laplace = std::get<LaplaceChannel>(channel.kind());
  return LocalChannel{choice.name, laplace_distances(laplace, static_cast<unsigned>(schema.size()))};
}

}  // namespace

Result<std::vector<LocalChannel>> local_channels(unsigned bits, const Epsilon& epsilon) {
  if (bits == 0) return Error{ErrorCode::kInvalidArgument, "records need at least one bit"};
  if (bits > kMostBits) {
    return Error{ErrorCode::kDomainTooLarge, "statistical differences are enumerated up to 12 bits"};
  }
  // laplace_distances() sums over the values of the noise for each bit. The number of values grows like bits/ε. ε =
  // bits²/400,000 takes about a minute. The limit is in whole millionths, so that the message can name it exactly.
  const double least = std::ceil(bits * bits / 0.4) / 1e6;
  if (epsilon.approximate() < least) {
    return Error{ErrorCode::kDomainTooLarge, "statistical differences of " + std::to_string(bits) +
                                                 " bits are enumerated from an epsilon of " + std::to_string(least) +
                                                 " on; take a larger epsilon or fewer bits"};
  }
  HEARSAY_TRY(const auto domain, records_of(bits));
  std::vector<LocalChannel> channels;
  for (const Choice& choice : own_choices(bits)) {
    HEARSAY_TRY(LocalChannel channel, own_channel(choice, domain.first, domain.second, epsilon));
    channels.push_back(std::move(channel));
  }
  const double eps = epsilon.approximate();
  const auto values = static_cast<double>(domain.second.size());
  const auto uniform = [&](double distance) {
    std::vector<double> distances(domain.second.size(), distance);
    distances[0] = 0;
    return distances;
  };
  channels.push_back({"randomized response, all values", uniform(std::expm1(eps) / (std::expm1(eps) + values))});
  channels.push_back(
      {"randomized response, each bit", product_distances(std::vector<double>(bits, std::tanh(eps / bits / 2)))});
  channels.push_back({"one uniform parity", uniform(std::tanh(eps / 2) / (values - 1))});
  return channels;
}

DistanceBounds distance_bounds(unsigned bits, double epsilon, double alpha) {
  const double values = std::exp2(bits);
  const double spread = std::expm1(epsilon) * std::expm1(epsilon) / (alpha * values);
  return {2 * 1.5 * std::cbrt(4 * spread), 2 * 4 * std::cbrt(2 * spread),
          std::sinh(epsilon / 2) / std::sqrt(values - 1)};
}

double quantile(const LocalChannel& channel, double share) {
  std::vector<double> sorted(channel.distances.begin() + 1, channel.distances.end());
  std::sort(sorted.begin(), sorted.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double mean(const LocalChannel& channel) {
  return std::accumulate(channel.distances.begin(), channel.distances.end(), 0.0) /
         static_cast<double>(channel.distances.size() - 1);
}

}  // namespace hearsay::examples
