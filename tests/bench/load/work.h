// Gives connections the requests to send, and receives the answers.
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
  std::string own;  // the bytes, if `bytes` does not refer to another object
  std::string_view bytes;
  std::size_t body_at = 0;
  std::uint64_t number = 0;  // number of the body; a duplicate has the number of its original
  std::uint64_t reports = 0;
};

class Work {
 public:
  virtual ~Work() = default;
  // Writes the next request to `out`, and reuses the buffers of `out`. Returns false if no request is left.
  virtual bool next(Outgoing& out) = 0;
  // The generator calls this function once a request has its final answer. `body` is the answer's body.
  virtual void answered(const Outgoing& request, unsigned status, std::string_view body) = 0;
};

// Sends fresh reports, each body `copies` times in a row. Sends every `duplicate_every`-th body (0: none) two more
// times. The next request is the first copy, so that body and copy are under way together. The second copy follows
// kLateBy requests later. `journal` may be null.
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
    std::uint64_t due;
  };
  bool take_copy(std::deque<Copy>& from, Outgoing& out);

  ReportTemplates templates_;
  std::uint64_t duplicate_every_;
  std::uint64_t copies_;
  Journal* journal_;
  Copy repeated_{};  // the body that is being sent `copies` times
  std::uint64_t repeats_left_ = 0;
  std::deque<Copy> concurrent_, late_;
  std::uint64_t bodies_ = 0;
  std::uint64_t requests_ = 0;
};

// Always sends the same body of `bytes` bytes 'x'.
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

// Sends every body of the journals once more, in order, and counts the outcomes of the reports.
class ReplayWork final : public Work {
 public:
  struct Counts {
    std::uint64_t acknowledged = 0;  // reports in acknowledged bodies
    std::uint64_t lost = 0;          // reports in acknowledged bodies that the server does not call replayed
    std::uint64_t open = 0;          // reports in bodies that were not acknowledged
    std::uint64_t open_stored = 0;   // reports in unacknowledged bodies that the server calls replayed
    std::uint64_t unresolved = 0;    // reports that are rejected, or whose body is not answered with 200
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
