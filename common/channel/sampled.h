// The channel `sampled`: one public random group of coordinates, answered by randomized response.
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
// generators, ±1 functions of the record; its true value is the m-bit number whose bit i is 1 where generator i is -1.
// The answer is the true value with probability γ and otherwise uniform on all K values, which are all 2^m unless some
// attribute's answers are not a power of two:
//   Pr[answer = k | group, x] = γ·[k = true value] + (1-γ)/K,   γ = gamma/2^64 <= (e^ε-1)/(e^ε+K-1), rounded down,
// so that the largest ratio between two records, 1 + Kγ/(1-γ), is at most e^ε. Every product of generators, a character
// of the answer, has its mean attenuated by exactly γ.
//
// Groups on `characters` are one question about each of s of the attributes that their GroupWeight may ask, numbered by
// a CharacterIndex within their class, question q as mask q + 1. Where the questions are parities (the default), each
// is a ±1 factor of a coordinate. Generators: kSingle the product of the factors; kRaw the factors, generator i that of
// the i-th attribute, or all bits of the questions' answers, those of the first attribute lowest; kEven the products of
// factor 0 and factor i+1. Groups on `literals`: consecutive coordinates j = m·group, m·group + 1, ….
class SampledChannel {
 public:
  static constexpr std::uint32_t kMaxWidth = 16;        // bits of an answer
  static constexpr std::uint32_t kMaxOdds = 1U << 20U;  // of an attribute

  // The groups of one GroupWeight, in the specification's order, or of one size on `literals` (all but the last group,
  // and the last one where it is smaller). Their numbers are [first, first + count).
  struct GroupClass {
    GroupKind kind;         // kRaw on `literals`
    std::uint32_t size;     // s; 0 on `literals`
    std::uint32_t width;    // m
    std::uint32_t answers;  // K
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t weight;  // a group of this class is drawn with probability weight/Σweights
    std::uint64_t gamma;   // γ·2^64
  };
  // A coordinate that a group informs about: a_j is the parity of the answer's bits in `answer_mask` ((-1)^popcount).
  struct Covered {
    std::uint32_t coordinate;
    std::uint32_t answer_mask;
  };

  // Errors: kInvalidArgument (the specification does not fit the arrangement; a class of groups that covers no
  // coordinate, or whose groups have answers of different widths), kLimitExceeded (numbers of groups or sums of odds
  // beyond 2^62, answers beyond kMaxWidth bits, numbers of questions), kScaleTooLarge if some γ would round to 0.
  static Result<SampledChannel> create(const SampledSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);
  // The same channel with other gammas, one per class, each at least 1: for audits of what a wrong γ would reveal.
  Result<SampledChannel> with_gammas(std::span<const std::uint64_t> gammas) const;

  std::span<const GroupClass> classes() const;
  std::uint64_t total_weight() const;
  std::uint64_t groups() const;  // how many there are
  const GroupClass& class_of(std::uint64_t group) const;
  std::size_t dimension() const;  // of the arrangement
  // Whether true_value() and covered() speak of this arrangement: same kind, sizes of attributes and order.
  bool is_over(const Arrangement& arrangement) const;

  // The sampler, in two steps: everything random first, then the record. The second takes the same time for all
  // records.
  struct Draw {
    std::uint64_t group;
    std::uint64_t coin;     // uniform on 64 bits: the truth is told iff coin < gamma
    std::uint32_t uniform;  // uniform on the group's answers: the answer otherwise
  };
  Draw draw(BitSource& bits) const;  // throws EntropyError
  std::uint32_t answer(const Draw& draw, const Record& record) const;
  // The n-th of the group's answers in ascending order, n below K: n itself if K = 2^m. Takes the same time for all n.
  std::uint32_t nth_answer(std::uint64_t group, std::uint32_t n) const;
  bool is_answer(std::uint64_t group, std::uint32_t answer) const;
  // The m-bit true value of the group.
  std::uint32_t true_value(std::uint64_t group, const Record& record) const;

  // On `characters`: the questions about an attribute.
  const Questions& questions(std::size_t attribute) const;
  // Whether this is on `characters`, and all questions are parities of one bit. Groups then cover coordinates of the
  // arrangement, as they do on `literals`. Where groups cover none, covered(), coverage() and probability() throw
  // std::logic_error, and so does information().
  bool asks_parities() const;

  // The coordinates of the arrangement that the group covers, ascending; replaces the content of `out`.
  void covered(std::uint64_t group, std::vector<Covered>& out) const;
  // The s questions of a group on `characters`, by ascending attribute, question q as mask q + 1. `out` has s elements.
  void factors(std::uint64_t group, std::span<Factor> out) const;
  // On `characters`: the numbers of the class's groups on exactly these s attributes (ascending), [first, first + size)
  // by the number of the question about the first of them, then the second, …: the order of the coordinates where these
  // are covered. The size is 0 where the class never asks about this set.
  CharacterIndex::Ranks groups_on(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const;

  // For statistics: γ; the probability that one report is from the class and its group covers a given coordinate that
  // is on these attributes (any of `literals`, which take none): the same for all coordinates on them.
  double gamma(const GroupClass& group_class) const { return static_cast<double>(group_class.gamma) * 0x1p-64; }
  double coverage(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const;
  // On `characters`: the probability that one report is from the class, and that its group asks about all of `inside`
  // and none of `outside` (both ascending).
  double asks_about(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                    std::span<const std::uint32_t> outside) const;
  // Whether an answer of the class, on `characters`, gives the products of its answers about so many attributes.
  static bool covers_sets_of(const GroupClass& group_class, std::size_t attributes);
  // On `characters`: the probability that one report is from the class, and that its group has given masks on all of
  // `inside` and none of `outside` (both ascending).
  double probability(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                     std::span<const std::uint32_t> outside) const;
  // On `characters`: whether some group's answer gives the products of the answers about exactly these attributes
  // (ascending), so that groups cover the coordinates on them where they cover any.
  bool asks(std::span<const std::uint32_t> attributes) const;
  // Σ over classes of γ²·coverage: the information that one report carries on average about the coordinate. Its inverse
  // is the variance of one report's estimate of a coordinate with mean 0. On `characters`; 0 where no group covers it.
  double information(std::span<const std::uint32_t> attributes) const;
  // On `characters`: Σ over classes of γ²·Pr[a report's answer gives the products of its answers about exactly these
  // attributes] (ascending): what one report tells on average about functions of them all, before the law of the
  // questions comes in.
  double set_information(std::span<const std::uint32_t> attributes) const;
  // The same as information() for a coordinate of `literals`, which lies in one group.
  double literal_information(std::size_t coordinate) const;

  // Payload: see common/channel/format.md. At most 10 bytes.
  std::size_t payload_size() const;
  void pack(std::uint64_t group, std::uint32_t answer, std::span<std::uint8_t> payload) const;
  struct Answer {
    std::uint64_t group;
    std::uint32_t answer;
  };
  // Accepts exactly what pack() writes. Errors: kReportWrongSize, kReportOutOfBounds.
  Result<Answer> unpack(std::span<const std::uint8_t> payload) const;
  // The same without a word: nothing where unpack() has an error.
  std::optional<Answer> try_unpack(std::span<const std::uint8_t> payload) const;
  // Whether unpack() accepts the payload, with its errors. A few ns.
  Result<void> check(std::span<const std::uint8_t> payload) const;

 private:
  struct State;
  void require_coordinates() const;
  // On `characters`.
  const AskedGroups& asked_by(const GroupClass& group_class) const;
  explicit SampledChannel(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace hearsay
