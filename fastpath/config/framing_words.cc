// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/framing_words.h"

#include <algorithm>
#include <iterator>

namespace config {
namespace {

constexpr struct {
  std::string_view directive, word;
  Framing framing;
} kWords[] = {
    {"comp-lzo", "", Framing::kLzo},           {"comp-lzo", "yes", Framing::kLzo},
    {"comp-lzo", "adaptive", Framing::kLzo},   {"comp-lzo", "no", Framing::kLzoNo},
    {"compress", "", Framing::kStub},          {"compress", "stub", Framing::kStub},
    {"compress", "stub-v2", Framing::kStubV2}, {"compress", "lzo", Framing::kLzo},
    {"compress", "lz4", Framing::kLz4},        {"compress", "lz4-v2", Framing::kLz4V2},
};

}  // namespace

std::optional<Framing> framing_of_words(const ovpn::Directive& comp_lzo_or_compress) {
  const ovpn::Directive& d = comp_lzo_or_compress;
  const std::string_view word = d.args.empty() ? std::string_view() : d.args[0];
  const auto* const row = std::ranges::find_if(
      kWords, [&](const auto& each) { return each.directive == d.name && each.word == word; });
  if (row == std::end(kWords)) return std::nullopt;
  return row->framing;
}

}  // namespace config
