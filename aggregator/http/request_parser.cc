#include "aggregator/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <charconv>
#include <utility>

namespace hearsay::http {

namespace beast_http = boost::beast::http;
using boost::beast::iequals;

namespace {

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && iequals({text.data(), prefix.size()}, {prefix.data(), prefix.size()});
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns true if one of the preferences of RFC 7240 asks for a minimal answer.
bool is_minimal(std::string_view preferences) {
  for (std::size_t begin = 0; begin < preferences.size();) {
    const std::size_t end = std::min(preferences.find_first_of(",;", begin), preferences.size());
    std::string_view preference = preferences.substr(begin, end - begin);
    while (preference.starts_with(' ')) preference.remove_prefix(1);
    while (preference.ends_with(' ')) preference.remove_suffix(1);
    if (iequals({preference.data(), preference.size()}, "return=minimal")) return true;
    begin = end + 1;
  }
  return false;
}

// Removes `expected` from the front of `text`. If `text` is only the beginning of `expected`, removes all of `text`.
// Returns false if `text` begins otherwise.
bool skip(std::string_view& text, std::string_view expected) {
  const std::size_t size = std::min(text.size(), expected.size());
  if (text.substr(0, size) != expected.substr(0, size)) return false;
  text.remove_prefix(size);
  return true;
}

// Returns true if `text` begins with the framing between chunks, or may do so when more bytes come. The framing is the
// line end behind the last chunk, a size, a line end, and at the end of the body an empty line. Beast would accept
// more: trailers, and extensions with bytes that are not allowed in a head.
bool is_chunk_framing(std::string_view text, bool behind_chunk) {
  constexpr std::size_t kMaxDigits = 16;
  if (behind_chunk && !skip(text, "\r\n")) return false;
  const auto digits = static_cast<std::size_t>(
      std::find_if(text.begin(), text.end(), [](char c) { return hex_digit(c) < 0; }) - text.begin());
  if (digits > kMaxDigits || (digits == 0 && !text.empty())) return false;
  const bool last = text.substr(0, digits).find_first_not_of('0') == std::string_view::npos;
  text.remove_prefix(digits);
  return skip(text, "\r\n") && (!last || skip(text, "\r\n"));
}

}  // namespace

HeadScanner::State HeadScanner::scan(std::string_view buffer) {
  for (; end_ < buffer.size(); ++end_) {
    const char c = buffer[end_];
    const char previous = end_ > 0 ? buffer[end_ - 1] : '\n';
    // A CR must be followed by a LF, and a LF must follow a CR.
    if ((c == '\n') != (previous == '\r')) return State::kMalformed;
    if (is_control(c) && c != '\t' && c != '\r' && c != '\n') return State::kMalformed;
    // A line that begins with white space would continue the line before. RFC 9112 lets a server refuse this.
    if (previous == '\n' && (c == ' ' || c == '\t')) return State::kMalformed;
    if (c != '\n') continue;

    const bool empty_line = end_ - line_begin_ == 1;
    const bool first_line = line_begin_ == begin_;
    line_begin_ = end_ + 1;
    if (!empty_line) continue;
    if (!first_line) {
      ++end_;
      return State::kComplete;
    }
    if (begin_ > 0) return State::kMalformed;
    begin_ = line_begin_;
  }
  return State::kIncomplete;
}

std::optional<Target> split_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!starts_with_ignoring_case(target, scheme)) continue;
    const std::size_t authority_end = target.find_first_of("/?#", scheme.size());
    if (std::min(authority_end, target.size()) == scheme.size()) return std::nullopt;
    target = authority_end == std::string_view::npos ? std::string_view("/") : target.substr(authority_end);
    break;
  }
  if (target.find('#') != std::string_view::npos) return std::nullopt;
  const std::size_t question = target.find('?');
  std::string_view raw_path = target.substr(0, question);
  if (raw_path.empty() && question == 0) raw_path = "/";
  if (raw_path.empty() || raw_path.front() != '/') return std::nullopt;

  return Target{raw_path, question == std::string_view::npos ? std::string_view() : target.substr(question + 1)};
}

std::optional<std::string_view> percent_decode(std::string_view text, std::string& storage) {
  if (std::none_of(text.begin(), text.end(), [](char c) { return c == '%' || is_control(c); })) return text;
  storage.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      // A proxy in front of the server may have applied its rules to the path before '/' was decoded.
      if (c == '/') return std::nullopt;
      i += 2;
    }
    if (is_control(c)) return std::nullopt;
    storage.push_back(c);
  }
  return storage;
}

RequestParser::RequestParser(std::size_t max_body_bytes) : max_body_bytes_(max_body_bytes) {
  // Beast compares both Content-Length and the sum of the chunks with this limit (http::error::body_limit).
  body_limit(max_body_bytes);
}

bool RequestParser::put_head(std::string_view head) {
  // The reader has checked the size of the head, so Beast's own limit must not apply.
  header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(head.size() + 1, UINT32_MAX)));
  error_code ec;
  const std::size_t used = put(boost::asio::buffer(head.data(), head.size()), ec);
  if (!ec && (used != head.size() || !is_header_done())) ec = beast_http::error::bad_line_ending;
  if (ec) refuse_by(ec);
  return !refusal_;
}

std::size_t RequestParser::put_chunked(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !is_done()) {
    if (chunk_left_ == 0 && !is_chunk_framing(bytes.substr(used), behind_chunk_)) {
      refusal_ =
          Refusal{400, {ErrorCode::kInvalidArgument, "malformed chunk: a chunk is its size and then as many bytes"}};
      break;
    }
    // Between chunks at least the 5 bytes "0\r\n\r\n" must follow. Beast 1.74 asserts that 5 bytes are there.
    if (chunk_left_ == 0 && bytes.size() - used < 5) break;
    error_code ec;
    used += put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), ec);
    if (ec == beast_http::error::need_more) break;
    if (ec) {
      refuse_by(ec);
      break;
    }
  }
  return used;
}

void RequestParser::on_request_impl(verb method, string_view method_text, string_view target, int version,
                                    error_code& ec) {
  version_ = version;
  is_head_method_ = method == verb::head;
  request_.method = is_head_method_ ? "GET" : view(method_text);
  const auto parts = split_target(view(target));
  const auto path = parts ? percent_decode(parts->path, path_) : std::nullopt;
  if (!path) return refuse(ec, 400, ErrorCode::kInvalidArgument, "the request target is not a valid path");
  request_.path = *path;
  request_.query = parts->query;
}

void RequestParser::on_field_impl(field name, string_view, string_view value, error_code& ec) {
  const auto repeated = [&](bool& seen) {
    if (std::exchange(seen, true)) refuse(ec, 400, ErrorCode::kInvalidArgument, "a header field is repeated");
  };
  switch (name) {
    case field::host:
      ++hosts_;
      if (value.find_first_of(" \t/?#@\\") != string_view::npos) {
        refuse(ec, 400, ErrorCode::kInvalidArgument, "the Host field holds no host name or address");
      }
      request_.host = view(value);
      break;
    case field::content_length: {
      // Beast has checked the value, but Beast also accepts lists of equal numbers.
      std::uint64_t size = 0;
      const auto end = std::from_chars(value.data(), value.data() + value.size(), size).ptr;
      if (request_.body_size || value.empty() || end != value.data() + value.size()) {
        return refuse(ec, 400, ErrorCode::kInvalidArgument, "Content-Length is not one number");
      }
      request_.body_size = size;
      break;
    }
    case field::transfer_encoding:
      repeated(has_coding_);
      if (!ec && !iequals(value, "chunked")) {
        refuse(ec, 501, ErrorCode::kUnsupported, "the only transfer coding that this server takes is chunked");
      }
      break;
    case field::content_type:
      repeated(has_content_type_);
      request_.content_type = view(value);
      break;
    case field::authorization:
      repeated(has_authorization_);
      request_.authorization = view(value);
      break;
    case field::origin:
      repeated(has_origin_);
      request_.origin = view(value);
      break;
    case field::accept:
      if (!request_.accept.empty()) {
        accept_ = std::string(request_.accept).append(", ").append(view(value));
        request_.accept = accept_;
      } else {
        request_.accept = view(value);
      }
      break;
    case field::prefer:
      request_.prefers_minimal = request_.prefers_minimal || is_minimal(view(value));
      break;
    case field::content_encoding:
      if (!iequals(value, "identity")) {
        refuse(ec, 415, ErrorCode::kUnsupportedMediaType, "this server takes no content codings");
      }
      break;
    case field::expect:
      if (!iequals(value, "100-continue")) {
        return refuse(ec, 417, ErrorCode::kUnsupported, "the only expectation that this server meets is 100-continue");
      }
      expects_continue_ = version_ >= 11;
      break;
    default:
      break;
  }
}

void RequestParser::on_header_impl(error_code& ec) {
  if (hosts_ > 1 || (hosts_ == 0 && version_ >= 11)) {
    return refuse(ec, 400, ErrorCode::kInvalidArgument, "exactly one Host field is required");
  }
  if (has_coding_ && request_.body_size) {
    return refuse(ec, 400, ErrorCode::kInvalidArgument, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (has_coding_ && version_ < 11) {
    return refuse(ec, 400, ErrorCode::kInvalidArgument, "Transfer-Encoding needs HTTP/1.1");
  }
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t remaining, string_view bytes, error_code&) {
  chunk_left_ = remaining - bytes.size();
  behind_chunk_ = true;
  chunked_body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

void RequestParser::refuse(error_code& ec, unsigned status, ErrorCode code, std::string message) {
  if (!refusal_) refusal_ = Refusal{status, {code, std::move(message)}};
  ec = beast_http::error::bad_value;  // any error stops Beast's parser
}

void RequestParser::refuse_by(const error_code& ec) {
  if (refusal_) return;
  if (ec == beast_http::error::body_limit) {
    refusal_ = Refusal{
        413, {ErrorCode::kBodyTooLarge, "the body is larger than " + std::to_string(max_body_bytes_) + " bytes"}};
  } else {
    refusal_ = Refusal{400, {ErrorCode::kInvalidArgument, "malformed HTTP: " + ec.message()}};
  }
}

}  // namespace hearsay::http
