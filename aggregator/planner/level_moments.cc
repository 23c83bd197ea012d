// Symbols: K = the number of answers; S(x) = Σ of h over the values that have the same answer as x; H = Σ h. A score is
// K·S - H. Two values differ first in bit t if t is the highest bit in which they differ. Let N_t be the node of the
// values that differ from x first in bit t, N_{-1} = x itself, and b_t = Σ of h over N_t. Then
//   E[S·S'] = Σ_{s≠t} E[p(s)p(t)]·b_s·b'_t + Σ_t Σ_{s<t} E[p(t)p(s)]·m_s(N_t) + b_{-1}·b'_{-1},
// where m_s(N) = Σ of h(y)·h'(z) over the pairs in N that differ first in bit s, and m_{-1} is over y = z. E[S] = Σ_t
// E[p(t)]·b_t. In arrays, bit t has the place t + 1.

#include "aggregator/planner/level_moments.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hearsay::planner {
namespace {

constexpr std::size_t kMaxPlaces = 21;  // one place for the bit -1, and one for each of at most 20 bits of a value

double size_of(std::uint32_t height) { return static_cast<double>(std::uint32_t{1} << height); }

}  // namespace

struct LevelMoments::Node {
  std::uint32_t first;
  std::uint32_t height;
  double sum;   // of h
  double sum2;  // of h'
  // The number of the left child; the right child has the next number. 0 if h and h' are constant in the node.
  std::size_t left = 0;
  // The index in pairs_ at which the m_s of an inner node begin.
  std::size_t pairs = 0;
};

// Sums over the nodes N_t that the walk has passed so far, from the top down.
struct LevelMoments::Sums {
  double square = 0;  // of E[S·S']
  double mean = 0;    // E[S], E[S']
  double mean2 = 0;
  std::array<double, kMaxPlaces> met{};  // at the place s: Σ_t E[p(s)p(t)]·b_t (symbols: top of file)
  std::array<double, kMaxPlaces> met2{};
};

class LevelMoments::Walk {
 public:
  Walk(const LevelMoments& law, const Weight& h, const Weight& h2, std::span<const std::uint32_t> cuts)
      : law_(law), h_(h), h2_(h2), cuts_(cuts) {
    const std::size_t on_paths = (cuts.size() + 1) * law_.bits_;
    nodes_.reserve(2 * std::min(on_paths, std::size_t{1} << law_.bits_) + 1);
    nodes_.resize(1);
    pairs_.reserve(nodes_.capacity() * 4);
    fill(0, 0, law_.bits_);
  }

  void descend(const Visit& visit) const {
    Sums sums;
    descend(nodes_.front(), sums, visit);
  }

 private:
  bool is_cut(std::uint32_t first, std::uint32_t height) const {
    const std::uint64_t end = first + (std::uint64_t{1} << height);
    if (first < law_.values_ && law_.values_ < end) return true;  // some bit patterns of the node stand for no value
    const auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), first);
    return cut != cuts_.end() && *cut < end;
  }

  double both(std::uint32_t s, std::uint32_t t) const { return law_.both_[s * (law_.bits_ + 1) + t]; }

  // Makes the node with the number `number`, and the nodes below this node down to the nodes without a cut.
  void fill(std::size_t number, std::uint32_t first, std::uint32_t height) {
    Node node{first, height, 0, 0};
    if (!is_cut(first, height)) {
      const bool is_value = first < law_.values_;
      node.sum = is_value ? size_of(height) * h_(first) : 0;
      node.sum2 = is_value ? size_of(height) * h2_(first) : 0;
      nodes_[number] = node;
      return;
    }
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    fill(left, first, height - 1);
    fill(left + 1, first + (1U << (height - 1)), height - 1);
    node.left = left;
    node.pairs = pairs_.size();
    node.sum = nodes_[left].sum + nodes_[left + 1].sum;
    node.sum2 = nodes_[left].sum2 + nodes_[left + 1].sum2;
    for (std::uint32_t s = 0; s < height; ++s) {
      pairs_.push_back(pairs_of(nodes_[left], s) + pairs_of(nodes_[left + 1], s));
    }
    pairs_.push_back(nodes_[left].sum * nodes_[left + 1].sum2 + nodes_[left + 1].sum * nodes_[left].sum2);
    nodes_[number] = node;
  }

  // Returns m_s of the node, where s is the bit of the place `place`. In a node with equal weights, 2^s values differ
  // from each value first in bit s.
  double pairs_of(const Node& node, std::uint32_t place) const {
    if (node.left != 0) return pairs_[node.pairs + place];
    const double ordered = place == 0 ? 1 : size_of(place - 1);
    return node.sum * node.sum2 / size_of(node.height) * ordered;
  }

  // Adds the node of the values that differ from x first in the bit of the place `place`.
  void pass(std::uint32_t place, double sum, double sum2, Sums& sums) const {
    sums.square += sum * sums.met2[place] + sum2 * sums.met[place];
    sums.mean += both(0, place) * sum;
    sums.mean2 += both(0, place) * sum2;
    for (std::uint32_t s = 0; s < place; ++s) {
      sums.met[s] += both(s, place) * sum;
      sums.met2[s] += both(s, place) * sum2;
    }
  }
  void pass(const Node& node, Sums& sums) const {
    const std::uint32_t place = node.height + 1;
    for (std::uint32_t s = 0; s < place; ++s) sums.square += both(place, s) * pairs_of(node, s);
    pass(place, node.sum, node.sum2, sums);
  }

  void descend(const Node& node, const Sums& sums, const Visit& visit) const {
    if (node.first >= law_.values_) return;
    if (node.left != 0) {
      for (const std::size_t child : {node.left, node.left + 1}) {
        Sums below = sums;
        pass(nodes_[child == node.left ? node.left + 1 : node.left], below);
        descend(nodes_[child], below, visit);
      }
      return;
    }
    // In all further nodes on the way down to x, all values have one weight.
    Sums below = sums;
    const double size = size_of(node.height);
    for (std::uint32_t height = node.height; height-- > 0;) {
      const double part = size_of(height) / size;
      pass({0, height, part * node.sum, part * node.sum2}, below);
    }
    pass(0, node.sum / size, node.sum2 / size, below);
    below.square += node.sum / size * (node.sum2 / size);
    const Node& all = nodes_.front();
    const double k = law_.answers_;
    const double moment =
        k * k * below.square - k * (all.sum2 * below.mean + all.sum * below.mean2) + all.sum * all.sum2;
    visit(node.first, node.first + (1U << node.height) - 1, moment);
  }

  const LevelMoments& law_;
  const Weight& h_;
  const Weight& h2_;
  std::span<const std::uint32_t> cuts_;
  std::vector<Node> nodes_;
  std::vector<double> pairs_;  // m_s of the inner nodes, by place
};

LevelMoments::LevelMoments(const Questions& questions)
    : values_(questions.values()), bits_(questions.value_bits()), answers_(std::exp2(questions.width())) {
  const auto& spec = std::get<LevelQuestions>(questions.spec());
  both_.assign(std::size_t{bits_ + 1} * (bits_ + 1), 0.0);
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    std::vector<double> p{1};
    double below = 1;
    for (std::uint32_t s = 0; s < bits_; ++s) {
      const bool asked = std::binary_search(spec.levels[i].begin(), spec.levels[i].end(), s);
      p.push_back(asked ? 0 : below);
      if (asked) below /= 2;
    }
    const double chance = spec.weights[i] / static_cast<double>(questions.total_weight());
    for (std::size_t s = 0; s < p.size(); ++s) {
      for (std::size_t t = 0; t < p.size(); ++t) both_[s * p.size() + t] += chance * p[s] * p[t];
    }
  }
}

void LevelMoments::visit(const Weight& h, const Weight& h2, std::span<const std::uint32_t> cuts,
                         const Visit& visit) const {
  Walk(*this, h, h2, cuts).descend(visit);
}

}  // namespace hearsay::planner
