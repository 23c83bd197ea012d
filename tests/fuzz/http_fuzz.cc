// Reads heads and chunked bodies of HTTP requests. The parser takes a request, or refuses it with a status. The end of
// a head must not depend on how the bytes are cut into pieces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/http/request_parser.h"
#include "tests/fuzz/require.h"

namespace {

using namespace hearsay;

constexpr std::size_t kMaxBody = 4096;

std::optional<std::size_t> end_of_head(std::string_view input, std::size_t step) {
  http::HeadScanner scanner;
  for (std::size_t seen = 0; seen < input.size();) {
    seen = std::min(seen + step, input.size());
    switch (scanner.scan(input.substr(0, seen))) {
      case http::HeadScanner::State::kComplete:
        return scanner.end();
      case http::HeadScanner::State::kMalformed:
        return std::nullopt;
      case http::HeadScanner::State::kIncomplete:
        break;
    }
  }
  return std::nullopt;
}

void check_refusal(const http::RequestParser& parser) {
  FUZZ_REQUIRE(parser.refusal());
  FUZZ_REQUIRE(parser.refusal()->status >= 400 && parser.refusal()->status < 600);
  FUZZ_REQUIRE(!parser.refusal()->error.message.empty());
}

void check_request(http::RequestParser& parser, std::string_view rest) {
  FUZZ_REQUIRE(!parser.refusal());
  FUZZ_REQUIRE(!parser.request().method.empty());
  FUZZ_REQUIRE(parser.request().path.starts_with('/'));
  FUZZ_REQUIRE(!parser.body_size() || *parser.body_size() <= kMaxBody);
  while (!rest.empty() && !parser.is_done() && !parser.refusal()) {
    const std::size_t used = parser.put_chunked(rest);
    FUZZ_REQUIRE(used <= rest.size());
    if (used == 0) break;
    rest.remove_prefix(used);
  }
  if (parser.refusal()) check_refusal(parser);
  FUZZ_REQUIRE(parser.request().body.size() <= kMaxBody);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = end_of_head(input, input.size());
  FUZZ_REQUIRE(end == end_of_head(input, 1));
  if (!end) return 0;

  http::HeadScanner scanner;
  scanner.scan(input);
  http::RequestParser parser(kMaxBody);
  if (!parser.put_head(scanner.head(input))) {
    check_refusal(parser);
    return 0;
  }
  if (!parser.body_size()) check_request(parser, input.substr(*end));
  return 0;
}
