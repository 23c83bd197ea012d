#include "aggregator/http/problem.h"

#include <cctype>
#include <string>
#include <string_view>

#include "common/base/json_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::http {

namespace {

// Turns "query_not_visible" into "Query not visible", and "unrecognizedTask" into "Unrecognized task".
std::string make_title(std::string_view name) {
  std::string title;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) title.push_back(' ');
    title.push_back(c == '_' ? ' ' : static_cast<char>(upper ? c - 'A' + 'a' : c));
  }
  if (!title.empty()) title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

}  // namespace

HttpResponse make_problem(const Error& error, unsigned status) {
  Json document;
  document["type"] = problem_type(error.code);
  document["title"] = make_title(error_name(error.code));
  document["status"] = status;
  document["detail"] = error.message;

  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = json_text(document);
  if (error.code == ErrorCode::kOverloaded) response.headers.emplace_back("Retry-After", "1");
  // A database may be back after some seconds.
  if (error.code == ErrorCode::kStoreFailed) response.headers.emplace_back("Retry-After", "5");
  return response;
}

}  // namespace hearsay::http
