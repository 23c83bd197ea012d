#include "aggregator/http/response_writer.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <cstdio>
#include <ctime>

namespace hearsay::http {

namespace {

constexpr std::array<std::string_view, 8> kServersFields = {
    "connection", "content-length",    "content-type",           "cache-control",
    "date",       "transfer-encoding", "x-content-type-options", "strict-transport-security",
};

bool is_servers_field(std::string_view name) {
  return std::any_of(kServersFields.begin(), kServersFields.end(), [&](std::string_view own) {
    return boost::beast::iequals({own.data(), own.size()}, {name.data(), name.size()});
  });
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// Returns false if the text has a control character other than a tab, so that a value cannot add a line to the head.
bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

bool is_valid(const HttpResponse& response) {
  return response.status >= 200 && response.status <= 599 && is_field_value(response.content_type) &&
         std::all_of(response.headers.begin(), response.headers.end(),
                     [](const auto& field) { return is_token(field.first) && is_field_value(field.second); });
}

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::optional<std::string_view> write_head(const HttpResponse& response, const ResponseFraming& framing,
                                           std::string_view date, std::string& out) {
  if (!is_valid(response)) return std::nullopt;
  // Answers with these statuses have no body, and 204 has no Content-Length (RFC 9110).
  const bool bodiless = response.status == 204 || response.status == 304;
  const auto reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));

  out.append("HTTP/1.1 ").append(std::to_string(response.status)).push_back(' ');
  out.append(reason.data(), reason.size()).append("\r\n");
  add_field(out, "Date", date);
  if (!bodiless) {
    if (!response.content_type.empty()) add_field(out, "Content-Type", response.content_type);
    add_field(out, "Content-Length", std::to_string(response.content().size()));
  }
  add_field(out, "X-Content-Type-Options", "nosniff");
  add_field(out, "Cache-Control", "no-store");
  if (framing.tls) add_field(out, "Strict-Transport-Security", "max-age=31536000");
  if (!framing.keep_alive) {
    add_field(out, "Connection", "close");
  } else if (framing.http_1_0) {
    add_field(out, "Connection", "keep-alive");
  }
  for (const auto& [name, value] : response.headers) {
    if (!is_servers_field(name)) add_field(out, name, value);
  }
  out.append("\r\n");
  return bodiless || framing.head_method ? std::string_view() : response.content();
}

std::string format_http_date(UnixSeconds time) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays.at(static_cast<std::size_t>(parts.tm_wday)), parts.tm_mday,
                kMonths.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                parts.tm_sec);
  return text.data();
}

}  // namespace hearsay::http
