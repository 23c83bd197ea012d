// An app accepts only lists of its author, and only tasks within its own limits.
#include "hearsay/task_list.h"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/task_list/sign.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"

namespace hearsay {
namespace {

constexpr UnixSeconds kNow = tests::kTaskStart;

void write_key(const std::string& path, const char* kind) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      std::string_view(kind) == "EC" ? EVP_EC_gen("prime256v1") : EVP_PKEY_Q_keygen(nullptr, nullptr, kind),
      &EVP_PKEY_free);
  REQUIRE(key != nullptr);
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  REQUIRE(file != nullptr);
  REQUIRE(PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
}

struct Fixture {
  tests::TemporaryDirectory directory;
  std::string key_file = (directory / "key.pem").string();
  std::vector<Task> tasks{tests::small_task("b c3", "1"), tests::small_task("b", "2")};

  Fixture() { write_key(key_file, "ED25519"); }

  SignedTaskList sign(std::uint64_t number = 7, UnixSeconds expires = kNow + 100) {
    return sign_task_list({number, expires, tasks}, key_file).value();
  }

  // Returns a list of the contents. The author signs `text`.
  std::string list_of(const std::string& contents, const std::string& text) {
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(key_file.c_str(), "r"), &std::fclose);
    REQUIRE(file != nullptr);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_PrivateKey(file.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    std::vector<std::uint8_t> signature(64);
    std::size_t size = signature.size();
    REQUIRE(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
    REQUIRE(EVP_DigestSign(context.get(), signature.data(), &size, reinterpret_cast<const unsigned char*>(text.data()),
                           text.size()) == 1);
    return Json{{"contents", contents}, {"signature", base64url_encode(signature)}}.dump();
  }
};

ErrorCode code_of(const Result<TaskList>& list) { return list ? ErrorCode::kInternal : list.error().code; }

std::string with_contents(const std::string& text, const std::string& contents) {
  Json list = parse_json(text).value();
  list["contents"] = contents;
  return list.dump();
}

TEST_CASE_FIXTURE(Fixture, "the app reads a list that the author signed") {
  const SignedTaskList made = sign();
  CHECK(AuthorKey::parse(made.key.to_string()).value() == made.key);
  const auto list = TaskList::parse(made.text, made.key, kNow, 7);
  REQUIRE(list);
  CHECK(list->number() == 7);
  CHECK(list->expires() == kNow + 100);
  CHECK(list->not_understood() == 0);
  const ListedTasks all = list->tasks_within({Epsilon::parse("2").value(), {}});
  REQUIRE(all.tasks.size() == 2);
  CHECK(all.tasks[0].id() == tasks[0].id());
  CHECK(all.tasks[1].id() == tasks[1].id());
}

TEST_CASE_FIXTURE(Fixture, "the app's limits hold, whoever signed the list") {
  const SignedTaskList made = sign();
  const auto list = TaskList::parse(made.text, made.key, kNow, 0);
  REQUIRE(list);
  const ListedTasks cheap = list->tasks_within({Epsilon::parse("1.999999").value(), {}});
  REQUIRE(cheap.tasks.size() == 1);
  CHECK(cheap.tasks[0].id() == tasks[0].id());
  REQUIRE(cheap.ignored.size() == 1);
  CHECK(cheap.ignored[0].task == tasks[1].id());
  CHECK(cheap.ignored[0].reason == "epsilon 2 exceeds the app's maximum 1.999999");

  const ListedTasks known = list->tasks_within({Epsilon::parse("2").value(), {tasks[1].schema()}});
  REQUIRE(known.tasks.size() == 1);
  CHECK(known.tasks[0].id() == tasks[1].id());
  REQUIRE(known.ignored.size() == 1);
  CHECK(known.ignored[0].task == tasks[0].id());
}

TEST_CASE_FIXTURE(Fixture, "an expired list and an older list are refused") {
  const SignedTaskList made = sign();
  CHECK(TaskList::parse(made.text, made.key, kNow + 99, 0));
  CHECK(code_of(TaskList::parse(made.text, made.key, kNow + 100, 0)) == ErrorCode::kTaskExpired);
  CHECK(code_of(TaskList::parse(made.text, made.key, kNow, 8)) == ErrorCode::kTaskMismatch);
}

TEST_CASE_FIXTURE(Fixture, "a list that somebody else wrote or changed is refused") {
  const SignedTaskList made = sign();
  write_key(key_file, "ED25519");
  const SignedTaskList other = sign();
  CHECK(code_of(TaskList::parse(other.text, made.key, kNow, 0)) == ErrorCode::kBadSignature);

  const std::string contents = parse_json(made.text).value().at("contents").get<std::string>();
  for (std::size_t i = 0; i < contents.size(); i += 7) {
    std::string changed = contents;
    changed[i] = changed[i] == '1' ? '2' : '1';
    CHECK(code_of(TaskList::parse(with_contents(made.text, changed), made.key, kNow, 0)) == ErrorCode::kBadSignature);
  }
  // Another layout of the same JSON object is another text.
  CHECK(code_of(TaskList::parse(with_contents(made.text, contents + " "), made.key, kNow, 0)) ==
        ErrorCode::kBadSignature);
}

TEST_CASE_FIXTURE(Fixture, "a signature of the same key over other bytes does not make a list valid") {
  const SignedTaskList made = sign();
  const std::string contents = parse_json(made.text).value().at("contents").get<std::string>();
  CHECK(TaskList::parse(list_of(contents, "hearsay task list v1\n" + contents), made.key, kNow, 0));
  CHECK(code_of(TaskList::parse(list_of(contents, contents), made.key, kNow, 0)) == ErrorCode::kBadSignature);
}

TEST_CASE_FIXTURE(Fixture, "an old app skips the tasks that it does not understand, and no other tasks") {
  const SignedTaskList made = sign();
  const Json contents = parse_json(parse_json(made.text).value().at("contents").get<std::string>()).value();
  const auto changed = [&](const char* key, const Json& value) {
    Json other = contents;
    other["tasks"][0][key] = value;
    return TaskList::parse(list_of(other.dump(), "hearsay task list v1\n" + other.dump()), made.key, kNow, 0);
  };
  const auto later = changed("version", 3);
  REQUIRE(later);
  CHECK(later->not_understood() == 1);
  const ListedTasks left = later->tasks_within({Epsilon::parse("2").value(), {}});
  REQUIRE(left.tasks.size() == 1);
  CHECK(left.tasks[0].id() == tasks[1].id());
  const Json channels[] = {{{"type", "quantum"}}, 7, nullptr};
  for (const Json& channel : channels) {
    const auto of_another_kind = changed("channel", channel);
    REQUIRE(of_another_kind);
    CHECK(of_another_kind->not_understood() == 1);
  }
}

TEST_CASE_FIXTURE(Fixture, "a text that is not a list gives a typed error") {
  const SignedTaskList made = sign();
  const auto code = [&](const std::string& text) { return code_of(TaskList::parse(text, made.key, kNow, 0)); };
  CHECK(code("") == ErrorCode::kMalformedJson);
  CHECK(code("[]") == ErrorCode::kWrongType);
  CHECK(code(R"({"contents": "{}"})") == ErrorCode::kMissingKey);
  CHECK(code(R"({"contents": 1, "signature": "AA"})") == ErrorCode::kWrongType);
  CHECK(code(R"({"contents": "{}", "signature": "AA"})") == ErrorCode::kBadSignature);
  CHECK(code(R"({"contents": "{}", "signature": "AA", "more": 1})") == ErrorCode::kUnknownKey);
  CHECK(code(std::string(TaskList::kMaxBytes + 1, ' ')) == ErrorCode::kLimitExceeded);
  CHECK(AuthorKey::parse("AA").error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE_FIXTURE(Fixture, "the author cannot sign a list that every app would refuse") {
  const auto code = [&](const Result<SignedTaskList>& list) { return list ? ErrorCode::kInternal : list.error().code; };
  CHECK(code(sign_task_list({0, kNow, tasks}, key_file)) == ErrorCode::kInvalidArgument);
  CHECK(code(sign_task_list({1, 0, tasks}, key_file)) == ErrorCode::kInvalidArgument);
  CHECK(code(sign_task_list({1, std::uint64_t{1} << 53U, tasks}, key_file)) == ErrorCode::kInvalidArgument);
  tasks.push_back(tasks[0]);
  CHECK(code(sign_task_list({1, kNow, tasks}, key_file)) == ErrorCode::kInvalidArgument);
  tasks.pop_back();
  CHECK(code(sign_task_list({1, kNow, tasks}, (directory / "none.pem").string())) == ErrorCode::kIo);
  write_key(key_file, "EC");
  CHECK(code(sign_task_list({1, kNow, tasks}, key_file)) == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay
