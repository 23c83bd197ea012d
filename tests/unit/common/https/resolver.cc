#include "resolver.h"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

namespace hearsay::tests {
namespace {

struct Resolver {
  std::mutex mutex;
  std::condition_variable released;
  std::map<std::string, std::vector<std::string>> addresses;
  std::set<std::string> silent;
  int hanging = 0;
};

// The object is never destroyed, since threads of look-ups may outlive main().
Resolver& resolver() {
  static auto& made = *new Resolver;
  return made;
}

}  // namespace

void set_addresses(const std::string& name, std::vector<std::string> addresses) {
  const std::lock_guard lock(resolver().mutex);
  resolver().addresses[name] = std::move(addresses);
}

void hang(const std::string& name) {
  const std::lock_guard lock(resolver().mutex);
  resolver().silent.insert(name);
}

void release() {
  const std::lock_guard lock(resolver().mutex);
  resolver().silent.clear();
  resolver().released.notify_all();
}

int hanging() {
  const std::lock_guard lock(resolver().mutex);
  return resolver().hanging;
}

// Returns the addresses that a test has set for `name`. Returns nothing if the system must be asked. Blocks while the
// name hangs.
std::vector<std::string> addresses_of(const std::string& name, bool& hung) {
  std::unique_lock lock(resolver().mutex);
  hung = resolver().silent.contains(name);
  if (hung) {
    ++resolver().hanging;
    resolver().released.wait(lock, [&] { return !resolver().silent.contains(name); });
    --resolver().hanging;
  }
  const auto found = resolver().addresses.find(name);
  return found == resolver().addresses.end() ? std::vector<std::string>() : found->second;
}

}  // namespace hearsay::tests

// Replaces the C library's function in the whole process, also for libcurl.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto system = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  bool hung = false;
  const auto addresses = hearsay::tests::addresses_of(node != nullptr ? node : "", hung);
  if (hung) return EAI_AGAIN;
  if (addresses.empty()) return system(node, service, hints, result);
  addrinfo** end = result;
  for (const std::string& address : addresses) {
    addrinfo numeric = *hints;
    numeric.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    numeric.ai_family = AF_UNSPEC;
    if (const int failure = system(address.c_str(), service, &numeric, end); failure != 0) return failure;
    while (*end != nullptr) end = &(*end)->ai_next;  // the next address goes to the end of the list
  }
  return 0;
}
