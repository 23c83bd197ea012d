#include <array>
#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "common/base/encoding.h"
#include "common/random/bit_source.h"
#include "common/random/hash.h"

namespace hearsay::aggregator {

void add_token_command(CLI::App& app, Action& chosen) {
  auto role = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("token", "Make a bearer token and the line for the daemon's configuration");
  command->add_option("role", *role, "admin or analyst")->required()->check(CLI::IsMember({"admin", "analyst"}));
  command->callback([&chosen, role] {
    chosen = [role]() -> Result<int> {
      std::array<std::uint8_t, 32> secret{};
      system_bit_source().fill(secret);
      const std::string token = base64url_encode(secret);
      const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
      std::cout << token << '\n';
      std::cerr << Json{{"role", *role}, {"sha256", hex_encode(digest)}}.dump() << '\n';
      return 0;
    };
  });
}

}  // namespace hearsay::aggregator
