// SPDX-License-Identifier: Apache-2.0
// Any bytes from a management socket, whole and one by one: both ways give as many messages. The
// same bytes are also tried as a status file and as a status line.
#include <cstdint>

#include "base/bytes.h"
#include "ovpn/management.h"
#include "ovpn/options_string.h"
#include "ovpn/status_file.h"
#include "ovpn/status_line.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

std::size_t count(ovpn::ManagementReader& reader) {
  std::size_t messages = 0;
  while (reader.next()) ++messages;
  return messages;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = base::as_text({data, size});
  ovpn::ManagementReader whole;
  whole.feed(text);
  ovpn::ManagementReader pieces;
  for (const char& c : text) pieces.feed({&c, 1});
  // A prompt has no newline: fed whole it may be the beginning of an ordinary line.
  if (text.find("ENTER PASSWORD:") == std::string_view::npos) {
    FUZZ_CHECK(count(whole) == count(pieces));
  }
  if (const auto status = ovpn::parse_status_line(text)) {
    FUZZ_CHECK(ovpn::parse_status_line(ovpn::format_status_line(*status)).has_value());
  }
  if (const auto statistics = ovpn::parse_status_file(text)) {
    FUZZ_CHECK(ovpn::parse_status_file(ovpn::format_status_file(*statistics)) == statistics);
  }
  static_cast<void>(ovpn::compare_options("V4,cipher BF-CBC,secret", text));
  return 0;
}
