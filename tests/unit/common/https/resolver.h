// The system's resolver of names, replaced for this test program: getaddrinfo() of resolver.cc answers as told here.
#pragma once

#include <string>
#include <vector>

namespace hearsay::tests {

// From now on `name` has these addresses, in this order, in place of what the system says.
void set_addresses(const std::string& name, std::vector<std::string> addresses);

// From now on look-ups of `name` do not return.
void hang(const std::string& name);

// Lets all look-ups that hang return, without an address, and hang no more.
void release();

// Look-ups that hang at this moment.
int hanging();

}  // namespace hearsay::tests
