// SPDX-License-Identifier: Apache-2.0
// Any bytes as a key file: what is taken comes back the same, what is not is explained.
#include <algorithm>
#include <cstdint>

#include "ovpn/static_key.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto key = ovpn::parse_static_key("fuzz.key", base::as_text({data, size}));
  if (!key) {
    FUZZ_CHECK(!key.error().message.empty() && key.error().place.line > 0);
    return 0;
  }
  const auto again = ovpn::parse_static_key("again", ovpn::format_static_key(*key));
  FUZZ_CHECK(again.ok());
  const auto first = key->bytes.view();
  const auto second = again->bytes.view();
  FUZZ_CHECK(std::equal(first.begin(), first.end(), second.begin(), second.end()));
  return 0;
}
