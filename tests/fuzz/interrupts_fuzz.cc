// SPDX-License-Identifier: Apache-2.0
// Any bytes as /proc/interrupts, /proc/softirqs and as the lists and masks of CPUs in sysfs.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/cpu_list.h"
#include "supervisor/host/interrupts.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

void check_counts(const std::map<int, std::uint64_t>& counts) {
  for (const auto& [cpu, count] : counts) FUZZ_CHECK(cpu >= 0 && cpu < base::kCpusMax && count > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = base::as_text({data, size});
  for (const base::Interrupt& interrupt : host::parse_interrupts(text)) {
    FUZZ_CHECK(interrupt.number >= 0);
    check_counts(interrupt.counts);
    // Every word of it names a device that is called so, whatever the word is.
    const std::string first = interrupt.words.substr(0, interrupt.words.find(' '));
    FUZZ_CHECK(first.empty() || host::names_device(interrupt.words, first));
  }
  check_counts(host::parse_softirqs(text, "NET_RX"));
  if (const auto cpus = base::parse_cpu_mask(text); cpus && !cpus->empty()) {
    const auto again = base::parse_cpu_list(base::format_cpu_list(*cpus), base::kCpusMax);
    FUZZ_CHECK(again && *again == *cpus);
  }
  return 0;
}
