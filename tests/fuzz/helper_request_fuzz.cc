// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request to the helper, which is root: what is taken has one spelling, and nothing
// in it could become another line of resolv.conf or of a question, or a path.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/interface_name.h"
#include "fastpath/hostnet/dns.h"
#include "fastpath/hostnet/helper_request.h"
#include "fastpath/root_helper/password_question.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

auto lines_in(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

void check(const hostnet::SetNameServers& set) {
  FUZZ_CHECK(base::is_interface_name(set.device));
  FUZZ_CHECK(!set.plan.servers.empty() && set.plan.servers.size() <= hostnet::kHelperServersMax);
  FUZZ_CHECK(set.plan.search.size() <= hostnet::kHelperDomainsMax);
  const auto wanted = static_cast<long>(set.plan.servers.size() + !set.plan.search.empty());
  FUZZ_CHECK(lines_in(hostnet::resolv_conf_text(set.plan)) == wanted);
  const auto device =
      hostnet::device_of_resolv_conf(hostnet::marked_resolv_conf(set.device, set.plan));
  FUZZ_CHECK(device == set.device);
}
void check(const hostnet::UndoNameServers& undo) {
  FUZZ_CHECK(base::is_interface_name(undo.device));
}
void check(const hostnet::AskPerson& ask) {
  const std::string text = root_helper::format_question({"nl", ask.text, ask.echo}, 1, "/run/x");
  FUZZ_CHECK(lines_in(text) == 10);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string packet(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(hostnet::device_of_resolv_conf(packet));
  static_cast<void>(root_helper::answer_in(packet));
  const auto request = hostnet::parse_request(packet);
  if (!request) return 0;
  FUZZ_CHECK(hostnet::format_request(*request) == packet);
  std::visit([](const auto& kind) { check(kind); }, *request);
  return 0;
}
