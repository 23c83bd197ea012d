#include "hearsay/task_list.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/task_list/signed_text.h"

namespace hearsay {
namespace {

constexpr std::int64_t kMaxNumber = (std::int64_t{1} << 53U) - 1;
constexpr std::size_t kSignatureBytes = 64;
constexpr JsonLimits kLimits{TaskList::kMaxBytes, 16};

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

bool verifies(const AuthorKey& key, std::string_view text, std::span<const std::uint8_t> signature) {
  const std::unique_ptr<EVP_PKEY, Free> author(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()));
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  return author && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, author.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

// Returns the text of the list's contents, if the signature is right.
Result<std::string> signed_contents(std::string_view text, const AuthorKey& key) {
  HEARSAY_TRY(const Json outer, parse_json(text, kLimits));
  HEARSAY_TRY(const ObjectReader list, ObjectReader::create(outer, "the list"));
  HEARSAY_CHECK_OK(list.allow_only({"contents", "signature"}));
  HEARSAY_TRY(std::string contents, list.get_string("contents"));
  HEARSAY_TRY(const std::string encoded, list.get_string("signature"));
  const auto signature = base64url_decode(encoded);
  if (!signature || signature->size() != kSignatureBytes) {
    return Error{ErrorCode::kBadSignature, "the list's signature is not 64 bytes in base64url"};
  }
  if (!verifies(key, signed_text(contents), *signature)) {
    return Error{ErrorCode::kBadSignature,
                 "the list was not signed with the key of this app's author, or was changed after that"};
  }
  return contents;
}

// Returns why the app leaves the task out. Returns an empty text if the task is within the limits.
std::string beyond(const TaskLimits& limits, const Task& task) {
  if (task.epsilon() > limits.max_epsilon) {
    return "epsilon " + task.epsilon().to_string() + " exceeds the app's maximum " + limits.max_epsilon.to_string();
  }
  const auto fits = [&](const Schema& schema) { return task.schema().has_same_records(schema); };
  if (limits.schemas.empty() || std::any_of(limits.schemas.begin(), limits.schemas.end(), fits)) return "";
  return "the schema is not among those that the app expects";
}

}  // namespace

std::string AuthorKey::to_string() const { return base64url_encode(bytes); }

Result<AuthorKey> AuthorKey::parse(std::string_view text) {
  const auto decoded = base64url_decode(text);
  AuthorKey key{};
  if (!decoded || decoded->size() != key.bytes.size()) {
    return Error{ErrorCode::kInvalidArgument, "an author's key must be 43 characters of base64url"};
  }
  std::copy(decoded->begin(), decoded->end(), key.bytes.begin());
  return key;
}

Result<TaskList> TaskList::parse(std::string_view text, const AuthorKey& key, UnixSeconds now,
                                 std::uint64_t last_number) {
  HEARSAY_TRY(const std::string contents, signed_contents(text, key));
  HEARSAY_TRY(const Json inner, parse_json(contents, kLimits));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(inner, "contents"));
  HEARSAY_CHECK_OK(reader.get_int("version", 1, 1));
  HEARSAY_CHECK_OK(reader.allow_only({"expires", "number", "tasks", "version"}));
  HEARSAY_TRY(const std::int64_t number, reader.get_int("number", 1, kMaxNumber));
  HEARSAY_TRY(const std::int64_t expires, reader.get_int("expires", 1, kMaxNumber));
  HEARSAY_TRY(const Json* documents, reader.get_array("tasks"));

  TaskList list;
  list.number_ = static_cast<std::uint64_t>(number);
  list.expires_ = static_cast<UnixSeconds>(expires);
  if (now >= list.expires_) return Error{ErrorCode::kTaskExpired, "the list of tasks has expired; fetch a new one"};
  if (list.number_ < last_number) {
    return Error{ErrorCode::kTaskMismatch, "the list of tasks is older than the one used before"};
  }
  if (documents->size() > kMaxTasks) {
    return Error{ErrorCode::kLimitExceeded, "a list may have at most " + std::to_string(kMaxTasks) + " tasks"};
  }
  for (const Json& document : *documents) {
    auto task = Task::parse(document.dump());
    if (!task) {  // the author signed the task, so the task is probably of a later version
      ++list.not_understood_;
      continue;
    }
    const auto same = [&](const Task& other) { return other.id() == task->id(); };
    if (std::any_of(list.tasks_.begin(), list.tasks_.end(), same)) {
      return Error{ErrorCode::kInvalidArgument, "the task " + task->id().to_string() + " stands in the list twice"};
    }
    list.tasks_.push_back(std::move(*task));
  }
  return list;
}

ListedTasks TaskList::tasks_within(const TaskLimits& limits) const {
  ListedTasks divided;
  for (const Task& task : tasks_) {
    std::string reason = beyond(limits, task);
    if (reason.empty()) {
      divided.tasks.push_back(task);
    } else {
      divided.ignored.push_back({task.id(), std::move(reason)});
    }
  }
  return divided;
}

}  // namespace hearsay
