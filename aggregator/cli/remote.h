// Calls the aggregator's API.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::cli {

struct Server {
  std::string url;
  std::string ca_file = {};      // PEM file; empty: the system's certificate authorities
  std::string token = {};        // bearer token; empty: none
  std::string certificate = {};  // PEM file of the client's certificate; empty: none
  std::string private_key = {};  // PEM file; empty: the key is in the certificate's file
};

// Makes one call over verified TLS and returns the body of a 2xx answer. Errors: kInvalidArgument (not an https URL),
// kServerRefused (any other answer; the message has the name and the detail of the problem), those of https::Client.
Result<std::string> call(const Server& server, std::string_view method, std::string_view path, const std::string& body,
                         std::string_view media_type = "application/json");

// Returns true if the aggregator refused a call with the error `name`.
bool is_refusal(const Error& error, ErrorCode name);

// Like call(), for an answer in JSON. Returns the JSON indented for people.
Result<std::string> call_for_json(const Server& server, std::string_view method, std::string_view path,
                                  const std::string& body);

}  // namespace hearsay::cli
