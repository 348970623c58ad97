// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxy {

// One way to log in that a proxy offers (RFC 9110 section 11.3).
struct Challenge {
  std::string scheme;                                        // lower case: "basic", "digest"
  std::vector<std::pair<std::string, std::string>> options;  // names in lower case

  std::string option(std::string_view name) const;  // empty: not there
};

// Those of one Proxy-Authenticate line, which may hold several.
std::vector<Challenge> parse_challenges(std::string_view line);

// What a proxy answered to CONNECT.
struct HttpAnswer {
  int status = 0;
  std::string reason;
  std::vector<Challenge> challenges;
};
// `head`: status line and headers, without the empty line. Nothing if it is no HTTP.
std::optional<HttpAnswer> parse_answer(std::string_view head);

}  // namespace proxy
