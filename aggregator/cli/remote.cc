#include "aggregator/cli/remote.h"

#include <algorithm>
#include <chrono>

#include "aggregator/console/progress.h"
#include "common/base/json_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/https/client.h"

namespace hearsay::cli {
namespace {

constexpr std::chrono::seconds kTimeout{300};                  // a plan of many sampled queries can take minutes
constexpr std::size_t kMaxTallyBytes = std::size_t{1} << 30U;  // a tally of many coordinates is long

const std::string kAnswered = "the aggregator answered ";

Error refusal(unsigned status, const std::string& body) {
  std::string message = kAnswered + std::to_string(status);
  if (const auto problem = parse_json(body); problem && problem->is_object()) {
    const auto member = [&](const char* key) {
      const auto found = problem->find(key);
      return found != problem->end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string type = member("type");
    const std::string_view name = problem_name(type);
    if (!name.empty()) message.append(" (").append(name).append(")");
    message.append(": ").append(member("detail"));
  }
  return {ErrorCode::kServerRefused, message};
}

}  // namespace

bool is_refusal(const Error& error, ErrorCode name) {
  constexpr std::size_t kStatus = 3;  // the digits of an HTTP status
  const std::string_view message = error.message;
  return error.code == ErrorCode::kServerRefused && message.starts_with(kAnswered) &&
         message.substr(std::min(kAnswered.size() + kStatus, message.size()))
             .starts_with(" (" + std::string(error_name(name)) + ")");
}

Result<std::string> call(const Server& server, std::string_view method, std::string_view path, const std::string& body,
                         std::string_view media_type) {
  const console::Progress progress("waiting for the aggregator");
  HEARSAY_TRY(const auto client, https::Client::create({.url = server.url,
                                                        .ca_file = server.ca_file,
                                                        .certificate = server.certificate,
                                                        .private_key = server.private_key.empty() ? server.certificate
                                                                                                  : server.private_key,
                                                        .timeout = kTimeout,
                                                        .max_answer_bytes = kMaxTallyBytes}));
  https::Request request{
      .method = method, .path = path, .headers = {"Content-Type: " + std::string(media_type)}, .body = {}};
  if (!server.token.empty()) request.headers.push_back("Authorization: Bearer " + server.token);
  if (!body.empty() || method == "POST") {
    request.body = {reinterpret_cast<const std::uint8_t*>(body.data()), body.size()};
  }
  HEARSAY_TRY(https::Answer answer, client->exchange(request));
  if (answer.status < 200 || answer.status >= 300) return refusal(answer.status, answer.body);
  return std::move(answer.body);
}

Result<std::string> call_for_json(const Server& server, std::string_view method, std::string_view path,
                                  const std::string& body) {
  HEARSAY_TRY(const std::string answer, call(server, method, path, body));
  HEARSAY_TRY(const Json document, parse_json(answer));
  return json_text(document, 2);
}

}  // namespace hearsay::cli
