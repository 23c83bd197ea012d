#include "aggregator/cli/task_names.h"

#include <doctest/doctest.h>

#include "aggregator/cli/advice.h"

namespace hearsay::cli {
namespace {

const std::vector<ListedTask> kTasks{{"abcdefgh", "commuting", false},
                                     {"abcdxxxx", "health", true},
                                     {"mmmmmmmm", "health", false},
                                     {"nnnnnnnn", "abcd", false},
                                     {"oooooooo", "", false}};

TEST_CASE("a title, an id, or a unique beginning of a title or id names a task") {
  CHECK(task_named("commuting", kTasks).value() == "abcdefgh");
  CHECK(task_named("abcde", kTasks).value() == "abcdefgh");
  CHECK(task_named("commu", kTasks).value() == "abcdefgh");
  CHECK(task_named("mmmmmmmm", kTasks).value() == "mmmmmmmm");
}

TEST_CASE("a name of several tasks is refused, and the error lists the tasks") {
  const auto health = task_named("health", kTasks);
  REQUIRE(!health);
  CHECK(health.error().code == ErrorCode::kInvalidArgument);
  CHECK(health.error().message.find("\n  abcdxxxx  health (closed)\n  mmmmmmmm  health") != std::string::npos);
  // A title does not hide the ids that begin with its characters.
  CHECK(task_named("abcd", kTasks).error().message.find("names 3 tasks") != std::string::npos);
}

TEST_CASE("a name of no task is refused, and the error shows the nearest title") {
  for (const char* text : {"", "abc", "m", "../status", "Commuting!", "zzzzzzzz"}) {
    const auto refused = task_named(text, kTasks);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kUnrecognizedTask);
    CHECK(advice(refused.error()).find("hearsay task list") != std::string::npos);
  }
  CHECK(task_named("comuting", kTasks).error().message.find("did you mean 'commuting'?") != std::string::npos);
}

TEST_CASE("refusals of the aggregator are recognised by their names, not by their details") {
  const auto refused = [](const std::string& message) { return Error{ErrorCode::kServerRefused, message}; };
  CHECK(is_refusal(refused("the aggregator answered 401 (unauthorized): x"), ErrorCode::kUnauthorized));
  CHECK_FALSE(is_refusal(refused("the aggregator answered 403 (forbidden): (unauthorized)"), ErrorCode::kUnauthorized));
  CHECK_FALSE(is_refusal(refused("the aggregator answered"), ErrorCode::kUnauthorized));
  CHECK_FALSE(
      is_refusal(Error{ErrorCode::kIo, "the aggregator answered 401 (unauthorized)"}, ErrorCode::kUnauthorized));
  CHECK(advice(refused("the aggregator answered 401 (unauthorized): x")).find("hearsay login") != std::string::npos);
  CHECK(advice(Error{ErrorCode::kIo, "x"}).empty());
  CHECK(advice(refused("the aggregator answered 422 (unknown_attribute): x")).find("hearsay task show") !=
        std::string::npos);
  CHECK(advice(Error{ErrorCode::kUnknownAttribute, "x"}).empty());
}

}  // namespace
}  // namespace hearsay::cli
