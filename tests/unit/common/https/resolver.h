// Replaces the system's resolver of names in this test program: getaddrinfo() of resolver.cc answers as these functions
// say.
#pragma once

#include <string>
#include <vector>

namespace hearsay::tests {

// From now on `name` has these addresses, in this order, whatever the system says.
void set_addresses(const std::string& name, std::vector<std::string> addresses);

// From now on look-ups of `name` do not return.
void hang(const std::string& name);

// Lets all hanging look-ups return without an address. Later look-ups do not hang.
void release();

// Returns the number of look-ups that hang at this moment.
int hanging();

}  // namespace hearsay::tests
