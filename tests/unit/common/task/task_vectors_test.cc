#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <map>

#include "hearsay/task.h"
#include "tests/support/golden.h"

namespace hearsay {
namespace {

TEST_CASE("an independent implementation gives the same canonical form and id") {
  const auto vectors = tests::read_vectors("tasks.json");
  REQUIRE(vectors.size() >= 20);
  std::map<std::string, std::string> canonical_by_id;
  for (const auto& vector : vectors) {
    CAPTURE(vector.at("about").get<std::string>());
    const auto task = Task::parse(vector.at("document").get<std::string>());
    REQUIRE_MESSAGE(task, task.error().message);
    CHECK(task->canonical_json() == vector.at("canonical").get<std::string>());
    CHECK(task->id().to_string() == vector.at("id").get<std::string>());
    canonical_by_id[task->id().to_string()] = task->canonical_json();
  }
  // Some documents of the vectors mean the same. Documents with the same id have the same canonical form.
  CHECK(canonical_by_id.size() < vectors.size());
  for (const auto& vector : vectors) CHECK(canonical_by_id.at(vector.at("id")) == vector.at("canonical"));
}

TEST_CASE("the canonical form is its own canonical form, and gives an equal specification") {
  for (const auto& vector : tests::read_vectors("tasks.json")) {
    CAPTURE(vector.at("about").get<std::string>());
    const auto task = Task::parse(vector.at("document").get<std::string>());
    REQUIRE(task);
    const auto again = Task::parse(task->canonical_json());
    REQUIRE_MESSAGE(again, again.error().message);
    CHECK(again->canonical_json() == task->canonical_json());
    CHECK(again->id() == task->id());
    CHECK(again->schema() == task->schema());
    CHECK(again->epsilon() == task->epsilon());
    CHECK(again->spec().title == task->spec().title);
    CHECK(again->spec().arrangement == task->spec().arrangement);
    CHECK(again->spec().channel == task->spec().channel);
    CHECK(again->end() == task->end());
    CHECK(again->spec().min_batch_size == task->spec().min_batch_size);
    CHECK(task->canonical_json().size() <= vector.at("document").get_ref<const std::string&>().size());
  }
}

TEST_CASE("every document of the corpus gives the error in its file name, and the message says where") {
  std::map<std::string, int> count;
  for (const auto& file : tests::read_corpus("task")) {
    CAPTURE(file.name);
    const auto task = Task::parse(file.bytes);
    ++count[file.error];
    if (file.error == "ok") {
      CHECK_MESSAGE(task, task.error().message);
      continue;
    }
    REQUIRE_FALSE(task);
    CAPTURE(task.error().message);
    CHECK(error_name(task.error().code) == file.error);
    CHECK(task.error().message.find(file.message_part) != std::string::npos);
  }
  for (const char* error : {"malformed_json", "limit_exceeded", "missing_key", "unknown_key", "wrong_type",
                            "invalid_schema", "invalid_task", "unsupported", "scale_too_large"}) {
    CHECK_MESSAGE(count[error] >= 2, error);
  }
}

}  // namespace
}  // namespace hearsay
