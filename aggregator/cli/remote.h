// Calls the aggregator's API for the command line.
#pragma once

#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay::cli {

struct Server {
  std::string url;
  std::string ca_file = {};      // PEM; empty: the system's roots
  std::string token = {};        // bearer token; empty: none
  std::string certificate = {};  // the client's, PEM; empty: none
  std::string private_key = {};  // PEM; empty: the key is in the certificate's file
};

// Performs one call over verified TLS and returns the body of a 2xx answer. Errors: kInvalidArgument (not an https
// URL), those of https::Client, and kServerRefused with the problem's name and detail.
Result<std::string> call(const Server& server, std::string_view method, std::string_view path, const std::string& body,
                         std::string_view media_type = "application/json");

// Returns true if the aggregator refused a call with the error `name`.
bool is_refusal(const Error& error, ErrorCode name);

// As call(), for an answer in JSON. Returns the JSON indented for people.
Result<std::string> call_for_json(const Server& server, std::string_view method, std::string_view path,
                                  const std::string& body);

}  // namespace hearsay::cli
