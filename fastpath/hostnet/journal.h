// SPDX-License-Identifier: Apache-2.0
// What was changed on this machine and would stay if the engine were killed: as values, as text,
// and kept in a file that the next start reads. A killed engine's tun device goes by itself, and
// all on it; routes elsewhere and what was set on a device of somebody else's do not.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "fastpath/hostnet/plan.h"

namespace hostnet {

struct SetUp {
  std::string device;

  friend bool operator==(const SetUp&, const SetUp&) = default;
};
struct SetAddress {
  std::string device;
  AddressPlan address;

  friend bool operator==(const SetAddress&, const SetAddress&) = default;
};
struct SetRoute {
  RoutePlan route;

  friend bool operator==(const SetRoute&, const SetRoute&) = default;
};
// Of a device that outlives us; each holds what was there before.
struct SetMtu {
  std::string device;
  int before = 0;

  friend bool operator==(const SetMtu&, const SetMtu&) = default;
};
struct SetQueue {
  std::string device;
  int before = 0;

  friend bool operator==(const SetQueue&, const SetQueue&) = default;
};
using Step = std::variant<SetUp, SetAddress, SetRoute, SetMtu, SetQueue>;
using Steps = std::vector<Step>;  // in the order they were done

std::string to_string(const Step& step);  // "route 192.0.2.7/32 via 198.18.0.1 dev eth0 metric 5"

// The file's text. `boot`: the kernel's boot id, after which nothing of this is left.
std::string format_journal(std::string_view boot, const Steps& steps);
// Nothing: of another boot, or not a journal. Lines that are no step are passed over.
Steps parse_journal(std::string_view boot, std::string_view text);

std::string boot_id();  // of this kernel; empty if it does not say

// Keeps the steps in `file`, in one write each time; no file when there are none. An empty name: no
// file at all.
class JournalFile {
 public:
  explicit JournalFile(std::string file) : file_(std::move(file)), boot_(boot_id()) {}

  Steps load() const;
  // The reason why not, or nothing. Does nothing if it is what is there.
  std::string save(const Steps& steps);

 private:
  std::string file_, boot_;
  std::string saved_;
};

}  // namespace hostnet
