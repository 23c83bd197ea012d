// The channel `sampled`: a report answers about one public random group of coordinates, by randomized response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"

namespace hearsay {

struct AskedGroups;
class Questions;

// A report is (group, answer). The group is drawn by public weights, independently of the record. A group has m
// generators, which are ±1 functions of the record. The group's true value is the number of m bits in which bit i is 1
// if generator i is -1. The answer is the true value with probability γ, and otherwise uniform on all K answers. K =
// 2^m, unless a question of the group has a number of answers that is no power of two.
//   Pr[answer = k | group, x] = γ·[k = true value] + (1-γ)/K,   γ = gamma/2^64 <= (e^ε-1)/(e^ε+K-1), rounded down.
// So the largest ratio between two records, 1 + Kγ/(1-γ), is at most e^ε. For any product of generators, the mean over
// the answers is exactly γ times the mean over the records.
//
// A group on `characters` asks one question about each of s attributes, out of those that its GroupWeight may ask. A
// CharacterIndex numbers the groups within their class, with question q as mask q + 1. If the questions are parities
// (the default), each question is a ±1 factor of a coordinate. The generators are:
// - kSingle: the product of the factors;
// - kRaw: the factors, with the i-th attribute's factor as generator i. If answers have several bits, the generators
//   are all bits of the answers, with the first attribute's bits lowest;
// - kEven: the products of factor 0 and factor i+1.
//
// Group number g on `literals` is the run of coordinates that begins with coordinate group_size·g.
class SampledChannel {
 public:
  static constexpr std::uint32_t kMaxWidth = 16;        // the most bits of an answer
  static constexpr std::uint32_t kMaxOdds = 1U << 20U;  // the largest odds of an attribute

  // The groups of one GroupWeight, in the specification's order. On `literals`, the groups of one size; if the last
  // group is smaller, it is a class of its own. The groups of a class have the numbers [first, first + count).
  struct GroupClass {
    GroupKind kind;         // kRaw on `literals`
    std::uint32_t size;     // s; 0 on `literals`
    std::uint32_t width;    // m
    std::uint32_t answers;  // K
    std::uint64_t first;
    std::uint64_t count;
    // A group of this class is drawn with probability weight/Σweights.
    std::uint64_t weight;
    std::uint64_t gamma;  // γ·2^64
  };
  // A coordinate that a group informs about. If `answer` is the true answer, the record has (-1)^popcount(answer &
  // answer_mask) at this coordinate.
  struct Covered {
    std::uint32_t coordinate;
    std::uint32_t answer_mask;
  };

  // Errors: kInvalidArgument (the specification does not fit the arrangement; a class of groups covers no coordinate,
  // or has answers of different widths), kLimitExceeded (more than 2^62 groups; sums of products of odds beyond 2^62;
  // answers of more than kMaxWidth bits; too many questions), kScaleTooLarge (some γ would round to 0), kUnsupported
  // (the arrangement `explicit`).
  static Result<SampledChannel> create(const SampledSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);
  // Returns the same channel with other values of gamma, for audits of what a wrong γ would reveal. `gammas` has one
  // number for each class, at least 1.
  Result<SampledChannel> with_gammas(std::span<const std::uint64_t> gammas) const;

  std::span<const GroupClass> classes() const;
  std::uint64_t total_weight() const;
  std::uint64_t groups() const;  // the number of groups
  const GroupClass& class_of(std::uint64_t group) const;
  std::size_t dimension() const;  // the number of the arrangement's coordinates
  // Returns true if this arrangement has the kind, order and sizes of attributes that true_value() and covered() need.
  bool is_over(const Arrangement& arrangement) const;

  // The sampler has two steps: draw() draws everything random, and answer() reads the record. answer() takes the same
  // time for all records.
  struct Draw {
    std::uint64_t group;
    // A uniform number of 64 bits. If coin < gamma, the report carries the true answer.
    std::uint64_t coin;
    // One of the group's answers, drawn uniformly. If coin >= gamma, the report carries this answer.
    std::uint32_t uniform;
  };
  Draw draw(BitSource& bits) const;  // throws EntropyError
  std::uint32_t answer(const Draw& draw, const Record& record) const;
  // Returns answer number n of the group's answers in ascending order, for n from 0 to K-1. If K = 2^m, this is n.
  // Takes the same time for all n.
  std::uint32_t nth_answer(std::uint64_t group, std::uint32_t n) const;
  bool is_answer(std::uint64_t group, std::uint32_t answer) const;
  // Returns the m-bit true value of the group.
  std::uint32_t true_value(std::uint64_t group, const Record& record) const;

  // On `characters`: returns the questions about an attribute.
  const Questions& questions(std::size_t attribute) const;
  // Returns true on `characters` if all questions are parities of one bit. Groups then cover coordinates of the
  // arrangement, as they do on `literals`. If groups cover no coordinates, covered(), coverage(), probability() and
  // information() throw std::logic_error.
  bool asks_parities() const;

  // Replaces the content of `out` by the coordinates that the group covers, ascending.
  void covered(std::uint64_t group, std::vector<Covered>& out) const;
  // Writes the s questions of a group on `characters`, by ascending attribute, with question q as mask q + 1. `out` has
  // s elements.
  void factors(std::uint64_t group, std::span<Factor> out) const;
  // On `characters`: returns the numbers [first, first + size) of the class's groups on exactly these s attributes
  // (ascending). These groups are ordered by the question about the first attribute, then about the second, and so on.
  // Coordinates, if groups cover them, stand in the same order. The size is 0 if the class does not ask about this set.
  CharacterIndex::Ranks groups_on(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const;

  // These two functions are for statistics. gamma() returns γ. coverage() returns the probability that one report is
  // from the class and its group covers a given coordinate on these attributes. This probability is the same for all
  // coordinates on these attributes. (For `literals` pass no attributes.)
  double gamma(const GroupClass& group_class) const { return static_cast<double>(group_class.gamma) * 0x1p-64; }
  double coverage(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const;
  // On `characters`: returns the probability that one report is from the class, and that its group asks about all of
  // `inside` and none of `outside` (both ascending).
  double asks_about(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                    std::span<const std::uint32_t> outside) const;
  // On `characters`, with n = `attributes`: returns true if a report of the class tells the product of the answers
  // about any n attributes of its group.
  static bool covers_sets_of(const GroupClass& group_class, std::size_t attributes);
  // On `characters`, with one mask fixed for each attribute of `inside`: returns the probability that one report is
  // from the class, and that its group asks these masks and no attribute of `outside`. Both lists ascend.
  double probability(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                     std::span<const std::uint32_t> outside) const;
  // On `characters`: returns true if the report of some group tells the product of the answers about exactly these
  // attributes (ascending). If groups cover coordinates, this means that groups cover the coordinates on these
  // attributes.
  bool asks(std::span<const std::uint32_t> attributes) const;
  // On `characters`: returns Σ over classes of γ²·coverage, the information that one report carries on average about a
  // coordinate on these attributes. The inverse of this information is the variance of one report's estimate of a
  // coordinate with mean 0. Returns 0 if no group covers the coordinate.
  double information(std::span<const std::uint32_t> attributes) const;
  // On `characters`: returns Σ over classes of γ²·P, where P is the probability that a report is from the class and
  // tells the product of the answers about exactly these attributes (ascending). This is the information that one
  // report carries on average about functions of all these attributes, up to a factor that depends on the questions.
  double set_information(std::span<const std::uint32_t> attributes) const;
  // Returns the same as information() for a coordinate of `literals`, which lies in one group.
  double literal_information(std::size_t coordinate) const;

  // Returns the number of bytes of a payload, at most 10; see common/channel/format.md.
  std::size_t payload_size() const;
  void pack(std::uint64_t group, std::uint32_t answer, std::span<std::uint8_t> payload) const;
  struct Answer {
    std::uint64_t group;
    std::uint32_t answer;
  };
  // Reads a payload. Accepts exactly the payloads that pack() can write. Errors: kReportWrongSize, kReportOutOfBounds.
  Result<Answer> unpack(std::span<const std::uint8_t> payload) const;
  // Does the same as unpack(), but returns nothing instead of an error.
  std::optional<Answer> try_unpack(std::span<const std::uint8_t> payload) const;
  // Checks that unpack() accepts the payload. Errors: those of unpack().
  Result<void> check(std::span<const std::uint8_t> payload) const;

 private:
  struct State;
  void require_coordinates() const;
  // Requires `characters`.
  const AskedGroups& asked_by(const GroupClass& group_class) const;
  explicit SampledChannel(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace hearsay
