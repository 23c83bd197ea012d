#include "common/task_list/sign.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <set>

#include "common/base/encoding.h"
#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/pem/pem.h"
#include "common/task_list/signed_text.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kNumberLimit = std::uint64_t{1} << 53U;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<std::string> contents_text(const TaskListContents& contents) {
  if (contents.number < 1 || contents.number >= kNumberLimit) {
    return invalid("the number of a list must be from 1 to 2^53 - 1");
  }
  if (contents.expires < 1 || contents.expires >= kNumberLimit)
    return invalid("the time at which a list expires must be from 1 to 2^53 - 1");
  if (contents.tasks.size() > TaskList::kMaxTasks) {
    return Error{ErrorCode::kLimitExceeded,
                 "a list may have at most " + std::to_string(TaskList::kMaxTasks) + " tasks"};
  }
  Json document{{"version", 1}, {"number", contents.number}, {"expires", contents.expires}, {"tasks", Json::array()}};
  std::set<TaskId> seen;
  for (const Task& task : contents.tasks) {
    if (!seen.insert(task.id()).second) return invalid("the task " + task.id().to_string() + " is given twice");
    HEARSAY_TRY(Json one, parse_json(task.canonical_json()));
    document["tasks"].push_back(std::move(one));
  }
  return json_text(document);
}

Result<AuthorKey> public_half(const EVP_PKEY& key) {
  AuthorKey author{};
  std::size_t size = author.bytes.size();
  if (EVP_PKEY_get_raw_public_key(&key, author.bytes.data(), &size) != 1 || size != author.bytes.size()) {
    return Error{ErrorCode::kInternal, "OpenSSL does not give the public half of the key"};
  }
  return author;
}

Result<std::string> signature(EVP_PKEY& key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::array<std::uint8_t, 64> bytes{};
  std::size_t size = bytes.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, &key) != 1 ||
      EVP_DigestSign(context.get(), bytes.data(), &size, reinterpret_cast<const unsigned char*>(text.data()),
                     text.size()) != 1) {
    return Error{ErrorCode::kInternal, "OpenSSL does not sign the list"};
  }
  return base64url_encode(bytes);
}

}  // namespace

Result<SignedTaskList> sign_task_list(const TaskListContents& contents, const std::string& key_file) {
  HEARSAY_TRY(const std::string text, contents_text(contents));
  HEARSAY_TRY(const pem::PrivateKey key, pem::read_private_key({pem::PemFile::Role::kPrivateKey, key_file}));
  if (EVP_PKEY_is_a(key.get(), "ED25519") != 1) {
    return invalid("the key in '" + key_file + "' is " + pem::kind_of(*key) +
                   "; make an Ed25519 key with: openssl genpkey -algorithm ed25519 -out KEY.pem");
  }
  HEARSAY_TRY(const AuthorKey author, public_half(*key));
  HEARSAY_TRY(const std::string signed_by, signature(*key, signed_text(text)));
  std::string list = json_text(Json{{"contents", text}, {"signature", signed_by}});
  if (list.size() > TaskList::kMaxBytes) {
    return Error{ErrorCode::kLimitExceeded, "the list has " + std::to_string(list.size()) + " bytes, more than " +
                                                std::to_string(TaskList::kMaxBytes)};
  }
  return SignedTaskList{std::move(list), author};
}

}  // namespace hearsay
