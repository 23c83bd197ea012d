#include "tests/bench/load/work.h"

#include <algorithm>

#include "tests/bench/load/answer.h"

namespace hearsay::load {

bool ReportWork::take_copy(std::deque<Copy>& from, Outgoing& out) {
  if (from.empty() || from.front().due > requests_) return false;
  out.own = std::move(from.front().bytes);
  out.body_at = from.front().body_at;
  out.number = from.front().number;
  from.pop_front();
  return true;
}

bool ReportWork::next(Outgoing& out) {
  out.reports = templates_.reports();
  ++requests_;
  if (repeats_left_ != 0) {
    --repeats_left_;
    out.own = repeated_.bytes;
    out.body_at = repeated_.body_at;
    out.number = repeated_.number;
  } else if (!take_copy(concurrent_, out) && !take_copy(late_, out)) {
    templates_.next(out.own, out.body_at);
    out.number = bodies_++;
    if (journal_ != nullptr) journal_->sent(out.number, out.reports, std::string_view(out.own).substr(out.body_at));
    if (copies_ > 1) {
      repeated_ = {out.own, out.body_at, out.number, 0};
      repeats_left_ = copies_ - 1;
    }
    if (duplicate_every_ != 0 && out.number % duplicate_every_ == 0) {
      concurrent_.push_back({out.own, out.body_at, out.number, 0});
      // If nearly every body has copies, the copies arrive faster than the generator sends them. Then the oldest late
      // copy is dropped.
      if (late_.size() == kLateBy) late_.pop_front();
      late_.push_back({out.own, out.body_at, out.number, requests_ + kLateBy});
    }
  }
  out.bytes = out.own;
  return true;
}

void ReportWork::answered(const Outgoing& request, unsigned status, std::string_view body) {
  if (journal_ == nullptr) return;
  if (status == 204 || (status == 200 && count_in(body, "rejected", 0) == 0)) journal_->acknowledged(request.number);
}

RawWork::RawWork(const RequestShape& shape, std::size_t bytes, std::uint64_t reports)
    : request_(head_of(shape, bytes)), body_at_(request_.size()), reports_(reports) {
  request_.append(bytes, 'x');
}

bool RawWork::next(Outgoing& out) {
  out.bytes = request_;
  out.body_at = body_at_;
  out.reports = reports_;
  return true;
}

ReplayWork::ReplayWork(const RequestShape& shape, JournalContents contents)
    : shape_(shape), contents_(std::move(contents)) {
  shape_.prefer_minimal = false;  // the answer's body has the counts that answered() needs
  for (const JournalBody& body : contents_.bodies) {
    (body.acknowledged ? counts_.acknowledged : counts_.open) += body.reports;
    counts_.unresolved += body.reports;
  }
}

bool ReplayWork::next(Outgoing& out) {
  if (next_ == contents_.bodies.size()) return false;
  const JournalBody& body = contents_.bodies[next_];
  const std::string_view bytes = std::string_view(contents_.bytes).substr(body.at, body.size);
  out.own = head_of(shape_, bytes.size());
  out.body_at = out.own.size();
  out.own.append(bytes);
  out.bytes = out.own;
  out.number = next_++;
  out.reports = body.reports;
  return true;
}

void ReplayWork::answered(const Outgoing& request, unsigned status, std::string_view text) {
  if (status != 200) return;
  const JournalBody& body = contents_.bodies[request.number];
  const std::uint64_t replayed = std::min(body.reports, count_in(text, "replayed", 0));
  const std::uint64_t rejected = count_in(text, "rejected", body.reports);
  counts_.unresolved -= body.reports - std::min(body.reports, rejected);
  if (body.acknowledged) {
    counts_.lost += body.reports - replayed;
  } else {
    counts_.open_stored += replayed;
  }
}

}  // namespace hearsay::load
