// Symbols of `sampled`: g = the query's weights, I_j = information of one report about coordinate j, s_G(x) = Σ_{j in
// G} g_j·a_j(x)/I_j. A report of group G contributes φ = γ·Σ_{j in G} g_j·χ_j(answer)/I_j to the estimate: E[φ|x] =
// γ²·s_G(x), and
//   E φ² = (1-γ)γ²·q_G + γ³·E[s_G²],  q_G = Σ_{j in G} (g_j/I_j)².
// So n·Var = Σ_G p_G·((1-γ)γ²·q_G + γ³·E[s_G²] - γ⁴·E[s_G]²), less ω(1-ω) among the reporters.

#include "aggregator/planner/report_variance.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aggregator/planner/query_pieces.h"
#include "aggregator/tails/query_error.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMaxExact = std::size_t{1} << 16U;

// Populations are the mixtures of some extreme ones. Of each of these: ω, and for every piece E[s_G] and E[s_G²].
struct Extremes {
  std::vector<double> omega;
  std::vector<std::vector<double>> mean;    // [extreme][piece]
  std::vector<std::vector<double>> square;  // [extreme][piece]
};

// Calls visit(record values) for every combination of values of the attributes; the others stay 0.
template <class Visit>
void for_each_cell(const Schema& schema, std::span<const std::uint32_t> attributes, Visit&& visit) {
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (;;) {
    visit(std::as_const(values));
    std::size_t i = 0;
    while (i < attributes.size() && ++values[attributes[i]] == schema[attributes[i]].size())
      values[attributes[i++]] = 0;
    if (i == attributes.size()) return;
  }
}

// a_j(x) for the coordinates of the pieces.
int sign_of(const Arrangement& arrangement, std::uint32_t coordinate, std::span<const std::uint32_t> values,
            std::span<const std::int8_t> embedding) {
  const auto* characters = std::get_if<Characters>(&arrangement.kind());
  if (characters == nullptr) return embedding[coordinate];
  return parity(characters->factors(coordinate), values) == 0 ? 1 : -1;
}

Extremes extremes_of(const Task& task, const Query& query, const QueryPieces& compiled) {
  const std::vector<Piece>& pieces = compiled.pieces;
  const bool any_population = std::holds_alternative<Characters>(task.arrangement().kind());
  Extremes extremes;
  std::vector<double> members(2, 0.0);
  if (!any_population) {
    extremes = {{0, 1},
                std::vector(2, std::vector<double>(pieces.size(), 0.0)),
                std::vector(2, std::vector<double>(pieces.size(), 0.0))};
  }
  std::vector<std::int8_t> embedding(any_population ? 0 : task.arrangement().dimension());
  for_each_cell(task.schema(), compiled.attributes, [&](const std::vector<std::uint32_t>& values) {
    const bool satisfied = query.evaluate(values);
    std::size_t extreme = satisfied ? 1 : 0;
    if (any_population) {
      extreme = extremes.omega.size();
      extremes.omega.push_back(satisfied ? 1 : 0);
      extremes.mean.emplace_back(pieces.size(), 0.0);
      extremes.square.emplace_back(pieces.size(), 0.0);
    } else {
      task.arrangement().encode(Record::create(task.schema(), values).value(), embedding);
      members[extreme] += 1;
    }
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      double signal = 0;
      for (const std::uint32_t j : pieces[p].coordinates) {
        signal += compiled.terms.at(j).ratio() * sign_of(task.arrangement(), j, values, embedding);
      }
      extremes.mean[extreme][p] += signal;
      extremes.square[extreme][p] += signal * signal;
    }
  });
  for (std::size_t b = 0; b < 2 && !any_population; ++b) {
    for (double& mean : extremes.mean[b]) mean /= members[b];
    for (double& square : extremes.square[b]) square /= members[b];
  }
  return extremes;
}

// The largest value over mixtures of Σ_G p·(γ³E[s²] - γ⁴E[s]²) - share·ω(1-ω), which is concave: by Frank and Wolfe's
// method with exact steps, until the tangent leaves at most 0.1 % of `scale` to gain, which is added.
double largest(const Extremes& extremes, std::span<const Piece> pieces, double share, double scale) {
  constexpr int kMaxSteps = 2000;
  constexpr double kTolerance = 1e-3;
  const std::size_t count = extremes.omega.size();
  std::vector<double> linear(count, 0.0);
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      linear[v] += pieces[p].probability * std::pow(pieces[p].gamma, 3) * extremes.square[v][p];
    }
    linear[v] -= share * extremes.omega[v];
  }
  // The present mixture, by its moments.
  std::vector<double> mean(pieces.size(), 0.0);
  double omega = 0;
  double linear_now = 0;
  for (std::size_t v = 0; v < count; ++v) {
    const double part = 1.0 / static_cast<double>(count);
    for (std::size_t p = 0; p < pieces.size(); ++p) mean[p] += part * extremes.mean[v][p];
    omega += part * extremes.omega[v];
    linear_now += part * linear[v];
  }
  std::vector<double> weight(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p) weight[p] = pieces[p].probability * std::pow(pieces[p].gamma, 4);
  for (int step = 0;; ++step) {
    double curved_now = share * omega * omega;
    for (std::size_t p = 0; p < pieces.size(); ++p) curved_now -= weight[p] * mean[p] * mean[p];
    // Derivative towards each extreme, and the curvature on the way to the best of them.
    double best = 0;
    double bend = 0;
    std::size_t towards = count;
    for (std::size_t v = 0; v < count; ++v) {
      const double omega_step = extremes.omega[v] - omega;
      double slope = linear[v] - linear_now + 2 * share * omega * omega_step;
      double curvature = share * omega_step * omega_step;
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const double difference = extremes.mean[v][p] - mean[p];
        slope -= 2 * weight[p] * mean[p] * difference;
        curvature -= weight[p] * difference * difference;
      }
      if (slope > best) {
        best = slope;
        bend = curvature;
        towards = v;
      }
    }
    if (towards == count || best < kTolerance * scale || step == kMaxSteps) return linear_now + curved_now + best;
    const double length = bend < 0 ? std::min(1.0, best / (-2 * bend)) : 1.0;
    for (std::size_t p = 0; p < pieces.size(); ++p) mean[p] += length * (extremes.mean[towards][p] - mean[p]);
    omega += length * (extremes.omega[towards] - omega);
    linear_now += length * (linear[towards] - linear_now);
  }
}

double mean_square(const Piece& piece, const QueryPieces& query) {
  double sum = 0;
  for (const std::uint32_t j : piece.coordinates) sum += std::pow(query.terms.at(j).ratio(), 2);
  return sum;
}

// Σ|g_j/I_j| over the piece: at least |s_G(x)| for every x.
double largest_signal(const Piece& piece, const QueryPieces& query) {
  double sum = 0;
  for (const std::uint32_t j : piece.coordinates) sum += std::abs(query.terms.at(j).ratio());
  return sum;
}

std::size_t cells_of(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::size_t cells = 1;
  for (const std::uint32_t attribute : attributes) cells = std::min(cells * schema[attribute].size(), kMaxExact + 1);
  return cells;
}

ReportVariance sampled_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  QueryPieces compiled = query_pieces(task, linear);
  add_attributes(compiled.attributes, query.attributes());
  ReportVariance result{0, 0, 0, 0};
  double noise = 0;
  double bound = 0;
  for (const Piece& piece : compiled.pieces) {
    const double signal = largest_signal(piece, compiled);
    noise += piece.probability * (1 - piece.gamma) * piece.gamma * piece.gamma * mean_square(piece, compiled);
    bound += piece.probability * std::pow(piece.gamma, 3) * signal * signal;
    result.influence = std::max(result.influence, 2 * piece.gamma * signal);
  }
  for (const auto& [coordinate, term] : compiled.terms) result.average += term.weight * term.ratio();

  const std::size_t cells = cells_of(task.schema(), compiled.attributes);
  if (compiled.pieces.empty() || compiled.pieces.size() > kMaxExact / cells) {
    result.worst = result.worst_among_reporters = noise + bound;
    return result;
  }
  const Extremes extremes = extremes_of(task, query, compiled);
  result.worst = noise + largest(extremes, compiled.pieces, 0, result.average);
  result.worst_among_reporters = noise + largest(extremes, compiled.pieces, 1, result.average);
  return result;
}

// The instance term is linear in ω, so it is largest in one of the classes.
ReportVariance laplace_variance(const LaplaceChannel& channel, const compiler::LinearQuery& linear) {
  const double variance =
      tails::noise_variance(channel, linear) + std::max(linear.class_variance[0], linear.class_variance[1]);
  double influence = 0;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    influence += 2 * std::abs(weight.value) * static_cast<double>(channel.bound(weight.coordinate));
  }
  return {variance, variance, variance, influence};
}

}  // namespace

ReportVariance report_variance(const Task& task, const Query& query, const compiler::LinearQuery& linear) {
  const auto* laplace = std::get_if<LaplaceChannel>(&task.channel().kind());
  return laplace != nullptr ? laplace_variance(*laplace, linear) : sampled_variance(task, query, linear);
}

}  // namespace hearsay::planner
