// A session of the online median mechanism: it holds the data and answers one query after another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "aggregator/central/median/online_median.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// What the session publishes about one query.
struct MedianAnswer {
  bool hard;
  std::int64_t integer;  // unit·(noisy q(D)), within ±2^61, if hard; otherwise the median of unit·q(S)
  double value;          // in records
  bool operator==(const MedianAnswer&) const = default;
};

// Answers adaptive queries. The whole session is (alpha, tau)-private (online_median.h), with exact noise. Refusals and
// the end of the session depend only on published numbers. The guarantee does not cover the time of an answer, which
// depends on the data. Thread-safety: one thread at a time.
class MedianSession {
 public:
  // `histogram` has the number of records of each element. For kAddRemove, start() lowers a count above ⌊2^32/elements⌋
  // to this number, and adds noise to the number of records. Errors: kInvalidArgument (not one count for each element).
  // For kReplaceOne, where the number of records is public, also kInvalidArgument for no records and kLimitExceeded
  // above 2^32 records. Throws EntropyError.
  static Result<MedianSession> start(const OnlineMedian& mechanism, std::span<const std::uint64_t> histogram,
                                     BitSource& bits);

  // Answers the query with these weights, each 0 to unit. Errors: kInvalidArgument (the query itself is wrong);
  // kBudgetExhausted (the hard queries are used up, or the agreed number of queries was answered). Before an error,
  // answer() does not look at the data and draws no bit. Throws EntropyError; the session has then ended. Cost:
  // candidates times elements.
  Result<MedianAnswer> answer(Weights weights, BitSource& bits);

  // Return public numbers: the number of records (noisy for kAddRemove), the queries answered, the hard queries among
  // these, and the candidates left.
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
  std::optional<std::int64_t> threshold_;  // threshold() + ρ, kept until the next hard answer
  std::uint64_t answered_ = 0;
  std::uint32_t hard_ = 0;
  bool interrupted_ = false;
};

}  // namespace hearsay::central
