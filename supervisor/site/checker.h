// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "supervisor/site/site.h"
#include "supervisor/site/site_check.h"

namespace site {

// Gathers what check_site() finds, each at the place of its key. The site must outlive it.
class Checker {
 public:
  explicit Checker(const Site& site) : site_(site) {}

  void problem(std::string_view key, std::string message, std::string remedy) {
    result_.problems.push_back({site_.place_of(key), std::move(message), std::move(remedy)});
  }
  void warning(std::string_view key, std::string message, std::string remedy) {
    result_.warnings.push_back({site_.place_of(key), std::move(message), std::move(remedy)});
  }
  bool written(std::string_view key) const { return site_.places.contains(key); }
  CheckResult finish() { return std::move(result_); }

 private:
  const Site& site_;
  CheckResult result_;
};

inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// Whether what follows kCredential, if `value` is such a one, can be a credential's name.
void check_credential(Checker& out, std::string_view key, std::string_view value);

}  // namespace site
