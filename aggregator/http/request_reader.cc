#include "aggregator/http/request_reader.h"

namespace hearsay::http {

namespace {

Refusal no_room() { return {503, {ErrorCode::kOverloaded, "too many bodies are being read"}}; }

}  // namespace

RequestReader::Step RequestReader::read_head() {
  const HeadScanner::State state = scanner_.scan(buffer_.unused());
  if (state == HeadScanner::State::kMalformed) {
    return Refusal{400, {ErrorCode::kInvalidArgument, "malformed HTTP header"}};
  }
  if (scanner_.end() > options_.max_header_bytes) {
    return Refusal{431,
                   {ErrorCode::kLimitExceeded,
                    "the header is larger than " + std::to_string(options_.max_header_bytes) + " bytes"}};
  }
  if (state == HeadScanner::State::kIncomplete) return buffer_.read_head();

  parser_.emplace(options_.max_body_bytes);
  const bool accepted = parser_->put_head(scanner_.head(buffer_.unused()));
  buffer_.use_up(scanner_.end());
  if (!accepted) return *parser_->refusal();
  return Complete{};
}

RequestReader::Step RequestReader::begin_body() {
  if (parser_->is_done()) return Complete{};
  if (!parser_->body_size()) {
    buffer_.expect_chunks();
    return IoResult{IoResult::Kind::kDone};
  }
  if (!buffer_.expect_body(*parser_->body_size())) return no_room();
  if (!buffer_.has_body()) return IoResult{IoResult::Kind::kDone};
  return read_sized();
}

RequestReader::Step RequestReader::read_body() { return parser_->body_size() ? read_sized() : read_chunked(); }

std::size_t RequestReader::body_received() const {
  return parser_->body_size() ? buffer_.body_received() : parser_->chunked_body().size();
}

RequestReader::Step RequestReader::read_sized() {
  if (!buffer_.has_body()) return buffer_.read_body();
  parser_->request().body = buffer_.take_body();
  return Complete{};
}

RequestReader::Step RequestReader::read_chunked() {
  std::string& chunks = buffer_.chunks();
  chunks.erase(0, parser_->put_chunked(chunks));
  if (parser_->refusal()) return *parser_->refusal();
  if (!buffer_.reserve(parser_->chunked_body().size())) return no_room();
  if (parser_->is_done()) return Complete{};
  // What is left is one unfinished line or the trailers, which are header as far as limits go.
  if (chunks.size() > options_.max_header_bytes) {
    return Refusal{431, {ErrorCode::kLimitExceeded, "a chunk's header or the trailers are too large"}};
  }
  return buffer_.read_chunks();
}

void RequestReader::next_request() {
  buffer_.next_request();
  parser_.reset();
  scanner_ = {};
}

}  // namespace hearsay::http
