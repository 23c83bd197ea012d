// Computes the compiler's results from their definitions, over all records. Also makes random queries.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aggregator/compiler/compiled_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/literals.h"
#include "common/random/bit_source.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::tests {

Schema schema_of(std::vector<Result<Attribute>> attributes);
Schema booleans(std::size_t count);
Query parse(const Schema& schema, const std::string& text);
// Returns the linear form of a compiled query.
Result<compiler::LinearQuery> linear_of(Result<compiler::CompiledQuery> compiled);

compiler::Work& work();

// All records of a small schema, each with its embedding and the query's value.
class Universe {
 public:
  Universe(const Query& query, const Schema& schema, const Literals& literals);

  std::size_t size() const { return embedding_.size(); }
  const std::vector<std::int8_t>& embedding(std::size_t record) const { return embedding_[record]; }
  bool f(std::size_t record) const { return f_[record]; }

  std::uint64_t members(bool b) const { return members_[b ? 1 : 0]; }
  std::size_t relevant() const { return relevant_; }
  // Returns true if the coordinate's mean over the records that satisfy the query differs from its mean over the
  // others.
  bool visible(std::size_t coordinate) const;
  bool visible() const;
  double mean(std::size_t coordinate, bool b) const;
  double delta(std::size_t coordinate) const { return mean(coordinate, true) - mean(coordinate, false); }

  // Returns offset + ⟨a(x), g⟩ without the homogeneous coordinate.
  double value(const compiler::LinearQuery& linear, std::size_t record) const;
  // The mean and the variance of value() over the records for which the query is b.
  struct Moments {
    double mean;
    double variance;
  };
  Moments moments(const compiler::LinearQuery& linear, bool b) const;

 private:
  std::vector<std::vector<std::int8_t>> embedding_;
  std::vector<bool> f_;
  std::array<std::uint64_t, 2> members_{0, 0};
  std::array<std::vector<std::int64_t>, 2> sum_;  // Σ a_j over the records with f = 0, and with f = 1
  std::size_t relevant_ = 0;
};

class Generator {
 public:
  explicit Generator(BitSource& bits) : bits_(bits) {}

  std::uint64_t below(std::uint64_t n);
  Schema schema();
  enum class Kind { kPredicate, kConjunction, kDisjunction, kBox, kDecisionList, kAtLeast, kLinear, kNested };
  static constexpr std::array<Kind, 8> kKinds{Kind::kPredicate, Kind::kConjunction,  Kind::kDisjunction,
                                              Kind::kBox,       Kind::kDecisionList, Kind::kAtLeast,
                                              Kind::kLinear,    Kind::kNested};
  std::string query(const Schema& schema, Kind kind);

 private:
  std::string predicate(const Attribute& attribute, bool interval);
  std::string any_predicate(const Schema& schema);
  std::string joined(const Schema& schema, const std::string& word);
  std::string nested(const Schema& schema, int depth);

  BitSource& bits_;
};

}  // namespace hearsay::tests
