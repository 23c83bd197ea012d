// What connections send: a stream of requests, and what becomes of each.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/load/journal.h"
#include "tests/bench/load/templates.h"

namespace hearsay::load {

struct Outgoing {
  std::string own;         // holds the bytes, unless they are somebody else's
  std::string_view bytes;  // the whole request
  std::size_t body_at = 0;
  std::uint64_t number = 0;  // of the body: a duplicate has its original's
  std::uint64_t reports = 0;
};

class Work {
 public:
  virtual ~Work() = default;
  // The next request into `out`, whose buffers are reused; false when there is none left.
  virtual bool next(Outgoing& out) = 0;
  // A request was answered, for good. `body` is the answer's.
  virtual void answered(const Outgoing& request, unsigned status, std::string_view body) = 0;
};

// Fresh reports; every `duplicate_every`-th body (0: none) is sent twice more: at once, by whichever connection comes
// next, so that both copies are under way together, and again kLateBy requests later. Each body is sent `copies` times
// in a row. `journal` may be null.
class ReportWork final : public Work {
 public:
  static constexpr std::size_t kLateBy = 64;

  ReportWork(ReportTemplates templates, std::uint64_t duplicate_every, std::uint64_t copies, Journal* journal)
      : templates_(std::move(templates)), duplicate_every_(duplicate_every), copies_(copies), journal_(journal) {}

  bool next(Outgoing& out) override;
  void answered(const Outgoing& request, unsigned status, std::string_view body) override;

 private:
  struct Copy {
    std::string bytes;
    std::size_t body_at;
    std::uint64_t number;
    std::uint64_t due;  // number of requests before it
  };
  bool take_copy(std::deque<Copy>& from, Outgoing& out);

  ReportTemplates templates_;
  std::uint64_t duplicate_every_;
  std::uint64_t copies_;
  Journal* journal_;
  Copy repeated_{};  // the body that is sent `copies` times
  std::uint64_t repeats_left_ = 0;
  std::deque<Copy> concurrent_, late_;
  std::uint64_t bodies_ = 0;
  std::uint64_t requests_ = 0;
};

// The same opaque body, always.
class RawWork final : public Work {
 public:
  RawWork(const RequestShape& shape, std::size_t bytes, std::uint64_t reports);
  bool next(Outgoing& out) override;
  void answered(const Outgoing&, unsigned, std::string_view) override {}

 private:
  std::string request_;
  std::size_t body_at_;
  std::uint64_t reports_;
};

// Every body of journals once more, in order, and what the server says of them.
class ReplayWork final : public Work {
 public:
  struct Counts {
    std::uint64_t acknowledged = 0;  // reports in acknowledged bodies
    std::uint64_t lost = 0;          // of those, the ones that the server does not call replayed
    std::uint64_t open = 0;          // reports in bodies without an answer
    std::uint64_t open_stored = 0;   // of those, the ones that the server had all the same
    std::uint64_t unresolved = 0;    // reports whose body was not answered with 200 now
  };

  ReplayWork(const RequestShape& shape, JournalContents contents);
  bool next(Outgoing& out) override;
  void answered(const Outgoing& request, unsigned status, std::string_view body) override;
  Counts counts() const { return counts_; }

 private:
  RequestShape shape_;
  JournalContents contents_;
  std::size_t next_ = 0;
  Counts counts_;
};

}  // namespace hearsay::load
