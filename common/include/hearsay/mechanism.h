// A task's choice of randomizer. An *arrangement* turns a record into numbers, called coordinates. A *channel*
// randomizes the coordinates. common/task/format.md describes both in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace hearsay {

// The arrangement of the paper (Aldà and Simon 2014, section 6): one coordinate, +1 or -1, for each literal. A literal
// is a statement about one attribute, for example that the age is at least 30.
struct LiteralsSpec {
  bool operator==(const LiteralsSpec&) const = default;
};

// An arrangement that writes each value in binary, with bits +1 and -1. A coordinate is a product of bits of at most
// `order` attributes. Every function of at most `order` attributes is then a constant plus a weighted sum of
// coordinates.
struct CharactersSpec {
  std::uint32_t order = 2;  // 1 to the number of attributes
  bool operator==(const CharactersSpec&) const = default;
};

// A query that an explicit arrangement is made for, and the query's vector.
struct ExplicitQuery {
  std::string query;                // text in the query language; devices do not interpret the text
  std::vector<std::int8_t> vector;  // v_f: `dimension` entries from -127 to 127, not all 0
  bool operator==(const ExplicitQuery&) const = default;
};

// An arrangement that the task lists (Aldà and Simon 2014, section 5). Such an arrangement is made for a class of
// queries. The task has an integer vector u_x for every record x of a small universe (the set of possible records), and
// an integer vector v_f for every query f of the class.
struct ExplicitSpec {
  std::uint32_t dimension = 0;  // d, at least 1
  // d entries from -127 to 127 for each record of the universe, at most 2^20 entries in all. Records stand in the order
  // in which the last attribute changes fastest.
  std::vector<std::int8_t> records;
  std::vector<ExplicitQuery> queries;  // 1 to 2^20/d queries, ascending strictly by the bytes of their texts
  bool operator==(const ExplicitSpec&) const = default;
};

using ArrangementSpec = std::variant<LiteralsSpec, CharactersSpec, ExplicitSpec>;

// How the scale of the noise follows from ε. The sensitivity of an arrangement is the largest L1 distance between the
// coordinates of two records.
enum class LaplaceCalibration : std::uint8_t {
  kTight,  // from the arrangement's exact sensitivity; on `literals`, with one scale for each attribute
  // from the Cauchy–Schwarz bound of Lemma 8, as in the paper: on `literals` for the homogeneous embedding (24), on an
  // explicit arrangement as in (15)
  kPaper,
};

// A channel that adds discrete Laplace noise to every coordinate.
struct LaplaceSpec {
  LaplaceCalibration calibration = LaplaceCalibration::kTight;

  // Says how kTight divides ε among the attributes: attribute b gets ε·shares[b]/Σshares. Has one positive integer for
  // each attribute. If empty, the shares are in proportion to the attributes' sensitivities, and all coordinates have
  // the common scale Δ/ε, where Δ is the sensitivity of the whole record.
  std::vector<std::uint32_t> shares;
  bool operator==(const LaplaceSpec&) const = default;
};

// Joins values of an integer range that the task need not tell apart. With fewer values, the same answers need fewer
// reports. The range is cut into stretches of neighbouring values. Each stretch belongs to a cell, and a report is
// about the cell of the value. The task answers a query only if each condition of the query holds for all values of a
// cell or for none.
struct Cuts {
  static constexpr std::size_t kMaxStarts = 4096;

  std::uint32_t attribute = 0;        // the attribute's place in the schema; its kind is kRange
  std::vector<std::uint32_t> starts;  // the value indices where the second and later stretches begin; ascending
  // The cell of each stretch. Has one element more than `starts`, or none. Cells are numbered from 0 in the order of
  // their first values, and neighbours differ. If empty, each stretch is a cell of its own.
  std::vector<std::uint32_t> cells = {};
  bool operator==(const Cuts&) const = default;
};

// Each of the four structs below describes questions about one attribute. A question splits the values of the attribute
// into parts and asks for the part that the value is in. There are 2^bits parts unless the struct says otherwise. The
// device draws a question anew for every report.

// Questions for an attribute without an order. The value is written in binary, and each bit of the answer is the parity
// of some of the value's bits. With bits = 1, all parities are equally likely.
struct ParityQuestions {
  std::uint32_t bits = 1;  // from 1 to the number of bits of a value, at most 16
  bool operator==(const ParityQuestions&) const = default;
};

// Questions for an attribute with ordered values, best if ε is about 3 or more. The level of a parity is the number of
// the lowest bit that the parity uses; the device draws at random which higher bits the parity uses. The device draws a
// set of levels by its weight. The question asks one parity of each level in the set, and the answer has a bit for
// each.
struct LevelQuestions {
  std::vector<std::vector<std::uint32_t>> levels;  // sets of equal size; each set ascends, and the list of sets ascends
  std::vector<std::uint32_t> weights;              // one for each set, from 1 to 2^30
  bool operator==(const LevelQuestions&) const = default;
};

// Questions for an attribute with ordered values. Value number x lies at place j·x + θ of a circle of N places. The
// circle is cut into 2^bits arcs of the same length, up to rounding. The question asks which arc holds this place. The
// multiplier j is drawn by its weight, and the turn θ is uniform. Good choices, for J values:
// - ranges of values: N = J, one bit, several multipliers;
// - thresholds: N = 2J, odd multipliers;
// - the mean: N = 2(J-1), the multiplier 1.
struct CircleQuestions {
  std::uint32_t places = 0;                // N: from J to 2^21
  std::uint32_t bits = 1;                  // 2^bits <= N
  std::vector<std::uint32_t> multipliers;  // at most 2^25/N numbers from 1 to N/2, ascending
  std::vector<std::uint32_t> weights;      // one for each multiplier, from 1 to 2^30
  bool operator==(const CircleQuestions&) const = default;
};

// Questions for an attribute without an order, if no power of two is a good number of parts. A question hashes the
// values into `answers` parts of nearly the same size. Any two values share a part with the same probability. If there
// are as many answers as values, the question asks for the value itself.
struct HashQuestions {
  std::uint32_t answers = 2;  // from 2 to the number of values, which is at most 8,191
  bool operator==(const HashQuestions&) const = default;
};

using QuestionSpec = std::variant<ParityQuestions, LevelQuestions, CircleQuestions, HashQuestions>;

// What a report of the channel `sampled` on `characters` holds. The device draws s attributes and one question about
// each of them. The kind says which function of the s answers the report holds.
enum class GroupKind : std::uint8_t {
  // The product of all s answers. Each answer is one bit, -1 or +1, and so is the report.
  kSingle,
  // All s answers. The answers also give every product of answers.
  kRaw,
  // The s-1 products of the first answer and another answer. Each answer is one bit, so the report has s-1 bits. The
  // products also give every product of an even number of answers.
  kEven,
};

// Groups of one kind and size, and how often devices ask them. For a report of these groups, the device first draws a
// set of `size` attributes, in proportion to the product of the attributes' odds. Then the device draws one question
// about each attribute of the set.
struct GroupWeight {
  GroupKind kind = GroupKind::kSingle;
  // The number s of attributes: at least 1, and for kEven at least 3. kRaw needs at least 2, or one attribute whose
  // answer has several bits. A group's answer has at most 16 bits. The answers of all groups of one GroupWeight have
  // equally many bits.
  std::uint32_t size = 1;
  std::uint32_t weight = 1;  // at least 1; a device draws one of these groups with probability weight/Σweights
  // The attributes that the device may ask, ascending, at least `size` of them. If empty, the device may ask all
  // attributes of the schema.
  std::vector<std::uint32_t> attributes = {};
  // The odds: one integer from 1 to 2^20 for each of these attributes. If empty, the odds are 1.
  std::vector<std::uint32_t> odds = {};
  bool operator==(const GroupWeight&) const = default;
};

// A channel that answers about one group of coordinates in each report, by randomized response. The group is drawn at
// random, independently of the record, and is public.
struct SampledSpec {
  // For the arrangement `characters`: the groups that devices ask, at least one element. Two elements must differ in
  // more than their weights. The task answers a query if the groups cover all coordinates that the query needs.
  std::vector<GroupWeight> groups;

  // For the arrangement `literals`: the number of coordinates in a group, 1 to 16. The coordinates are cut, in order,
  // into groups of this size; the last group may be smaller. All groups are equally likely. For `characters`, 0.
  std::uint32_t group_size = 0;

  // For the arrangement `characters`: one element for each attribute of the schema. If empty, every attribute has
  // ParityQuestions of one bit.
  std::vector<QuestionSpec> questions = {};
  bool operator==(const SampledSpec&) const = default;
};

// A channel for a small universe and a known list of queries. The task lists the probabilities of all outputs. Each
// report is the number of one output. The arrangement is `characters` of the highest order.
struct StrategySpec {
  std::uint32_t outputs = 0;  // K, at least 2
  // Without `shifts`: K integers for each record of the universe, the probabilities of the outputs in units of 2^-32.
  // Records stand in the order in which the last attribute changes fastest. The K integers of a record add up to 2^32.
  // The integers of one output are all above 0, and the largest is at most e^ε times the least.
  //
  // With `shifts`: rows, one after the other. A row has one integer for each of the M records of the universe. Output
  // number r·M + s is row r shifted by record s: record x gives this output with the probability row_r[x - s]/2^32.
  // The difference x - s is taken attribute by attribute, modulo the attribute's number of values. So K is M times the
  // number of rows. The integers of all rows add up to 2^32. The integers of one row are all above 0, and the largest
  // is at most e^ε times the least.
  std::vector<std::uint32_t> matrix;
  bool shifts = false;
  bool operator==(const StrategySpec&) const = default;
};

using ChannelSpec = std::variant<LaplaceSpec, SampledSpec, StrategySpec>;

}  // namespace hearsay
