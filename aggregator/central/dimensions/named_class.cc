#include "aggregator/central/dimensions/named_class.h"

#include <bit>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

// A class of predicates: the number of queries, the number of elements, and whether element x satisfies query q.
struct Predicates {
  std::uint64_t queries;
  std::uint64_t elements;
  std::function<bool(std::uint64_t q, std::uint64_t x)> holds;
};

constexpr std::uint32_t kMostNamed = 5'000;
constexpr std::uint32_t kMostNamedBits = 13;

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  std::uint64_t result = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

// Query q is the q-th pair a <= b of {0, ..., elements-1}, in the order of b.
bool in_interval(std::uint64_t q, std::uint64_t x) {
  std::uint64_t b = 0;
  while (q > b) q -= ++b;
  return q <= x && x <= b;
}

// Digit i of q in base 3 is a condition on bit i of x. 0: none; 1: the bit must be 0; 2: the bit must be 1.
bool in_conjunction(std::uint64_t q, std::uint64_t x) {
  for (; q != 0 || x != 0; q /= 3, x /= 2) {
    if (q % 3 != 0 && q % 3 != x % 2 + 1) return false;
  }
  return true;
}

const std::map<std::string, std::function<Predicates(std::uint32_t)>>& predicate_classes() {
  using U = std::uint64_t;
  static const std::map<std::string, std::function<Predicates(std::uint32_t)>> kClasses{
      {"points",
       [](std::uint32_t n) {
         return Predicates{n, n, [](U q, U x) { return q == x; }};
       }},
      {"thresholds",
       [](std::uint32_t n) {
         return Predicates{n + U{1}, n, [](U q, U x) { return x >= q; }};
       }},
      {"intervals",
       [](std::uint32_t n) {
         return Predicates{U{n} * (n + 1) / 2, n, in_interval};
       }},
      {"subsets",
       [](std::uint32_t n) {
         return Predicates{U{1} << n, n, [](U q, U x) { return (q >> x & 1U) != 0; }};
       }},
      {"conjunctions",
       [](std::uint32_t n) {
         return Predicates{power(3, n), U{1} << n, in_conjunction};
       }},
      {"parities", [](std::uint32_t n) {
         return Predicates{(U{1} << n) - 1, U{1} << n, [](U q, U x) { return std::popcount((q + 1) & x) % 2 != 0; }};
       }}};
  return kClasses;
}

Error too_large() { return {ErrorCode::kDomainTooLarge, "the class is too large: choose a smaller size"}; }

Result<QueryClass> distances(std::uint32_t size) {
  if (size < 2) return Error{ErrorCode::kInvalidArgument, "a class of distances needs at least two elements"};
  std::vector<std::vector<double>> queries(size, std::vector<double>(size));
  for (std::uint32_t t = 0; t < size; ++t) {
    for (std::uint32_t x = 0; x < size; ++x) queries[t][x] = (x > t ? x - t : t - x) / (size - 1.0);
  }
  return QueryClass::linear(queries, size - 1);
}

Result<std::vector<double>> parse_weights(const std::string& line) {
  std::vector<double> weights;
  std::istringstream fields(line);
  for (std::string field; std::getline(fields, field, ',');) {
    const auto first = field.find_first_not_of(" \t\r");
    const auto last = field.find_last_not_of(" \t\r");
    field = first == std::string::npos ? "" : field.substr(first, last - first + 1);
    double weight = 0;
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), weight);
    if (field.empty() || code != std::errc() || end != field.data() + field.size()) {
      return Error{ErrorCode::kInvalidArgument,
                   "'" + field + "' is not a number; a query must be a list of weights with commas between them"};
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace

std::vector<std::string> class_names() {
  std::vector<std::string> names{"distances"};
  for (const auto& [name, make] : predicate_classes()) names.push_back(name);
  return names;
}

Result<QueryClass> named_class(const std::string& name, std::uint32_t size) {
  if (size > kMostNamed) return too_large();
  if (name == "distances") return distances(size);
  const auto found = predicate_classes().find(name);
  if (found == predicate_classes().end()) {
    return Error{ErrorCode::kNotFound,
                 "there is no class of queries '" + name + "'; `hearsay-central dimensions --help` lists the classes"};
  }
  if (size == 0) return Error{ErrorCode::kInvalidArgument, "the size of a class must be at least 1"};
  const bool exponential = name == "subsets" || name == "conjunctions" || name == "parities";
  if (exponential && size > (name == "subsets" ? 20 : kMostNamedBits)) return too_large();
  const Predicates made = found->second(size);
  if (made.queries > QueryClass::kMostWeights / made.elements) return too_large();
  std::vector<std::vector<std::uint8_t>> queries(made.queries, std::vector<std::uint8_t>(made.elements));
  for (std::uint64_t q = 0; q < made.queries; ++q) {
    for (std::uint64_t x = 0; x < made.elements; ++x) queries[q][x] = made.holds(q, x) ? 1 : 0;
  }
  return QueryClass::predicates(queries);
}

Result<QueryClass> parse_class(const std::string& text, std::uint64_t unit) {
  std::vector<std::vector<double>> queries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    HEARSAY_TRY(auto weights, parse_weights(line));
    queries.push_back(std::move(weights));
  }
  return QueryClass::linear(queries, unit);
}

}  // namespace hearsay::central
