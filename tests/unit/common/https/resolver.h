// Replaces getaddrinfo() in this test program. Tests set the answers with these functions.
#pragma once

#include <string>
#include <vector>

namespace hearsay::tests {

// Sets the addresses of `name`, in this order.
void set_addresses(const std::string& name, std::vector<std::string> addresses);

// Makes look-ups of `name` hang.
void hang(const std::string& name);

// Ends all hanging look-ups without an address. Later look-ups do not hang.
void release();

// Returns the number of look-ups that hang now.
int hanging();

}  // namespace hearsay::tests
