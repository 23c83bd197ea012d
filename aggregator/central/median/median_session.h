// A session of the online median mechanism: the data, and one query after another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "aggregator/central/median/online_median.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// What is published about one query.
struct MedianAnswer {
  bool hard;
  std::int64_t integer;  // unit·(noisy q(D)), within ±2^61, if hard; otherwise the median of unit·q(S)
  double value;          // in records
  bool operator==(const MedianAnswer&) const = default;
};

// Answers adaptive queries. The whole session is (alpha, tau)-private (online_median.h), with exact noise. Refusals and
// the end of the session follow from what has been published. The time of an answer does not, and is outside the
// guarantee. Thread-safety: one thread at a time.
class MedianSession {
 public:
  // `histogram` has the number of records of each element, together at most 2^32. For kAddRemove the number of records
  // is noised here, once, and no histogram is refused: counts above ⌊2^32/elements⌋ are cut to that. Errors:
  // kInvalidArgument (another number of elements); for kReplaceOne, where the number of records is public, also
  // kInvalidArgument for none and kLimitExceeded above 2^32. Throws EntropyError.
  static Result<MedianSession> start(const OnlineMedian& mechanism, std::span<const std::uint64_t> histogram,
                                     BitSource& bits);

  // Answers the query with these weights, 0 to unit each. Errors: kInvalidArgument (about the query alone);
  // kBudgetExhausted (the hard queries are used up, or as many queries as agreed were answered). Errors neither look at
  // the data nor draw a bit. Throws EntropyError, after which the session has ended. Cost: candidates times elements.
  Result<MedianAnswer> answer(Weights weights, BitSource& bits);

  // All public: the number of records that answers refer to, the queries and hard queries answered, the candidates
  // left.
  std::int64_t total() const { return total_; }
  std::uint64_t answered() const { return answered_; }
  std::uint32_t hard() const { return hard_; }
  std::uint64_t candidates() const { return candidates_.count(); }

 private:
  MedianSession(const OnlineMedian& mechanism, Candidates candidates, std::vector<std::int64_t> histogram,
                std::int64_t total)
      : mechanism_(mechanism), candidates_(std::move(candidates)), histogram_(std::move(histogram)), total_(total) {}

  OnlineMedian mechanism_;
  Candidates candidates_;
  std::vector<std::int64_t> histogram_;
  std::int64_t total_;
  std::optional<std::int64_t> threshold_;  // T + ρ, until the next hard answer
  std::uint64_t answered_ = 0;
  std::uint32_t hard_ = 0;
  bool interrupted_ = false;
};

}  // namespace hearsay::central
