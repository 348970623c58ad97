// SPDX-License-Identifier: Apache-2.0
// The few shapes of sd-bus that SystemdManager is made of. Inside this room only.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "supervisor/host/service_manager.h"

namespace host {

struct BusCloser {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
struct MessageCloser {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using UniqueBus = std::unique_ptr<sd_bus, BusCloser>;
using UniqueMessage = std::unique_ptr<sd_bus_message, MessageCloser>;

inline constexpr const char* kSystemdName = "org.freedesktop.systemd1";
inline constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
inline constexpr const char* kManagerInterface = "org.freedesktop.systemd1.Manager";

// The system bus; where it is not up yet (or never), systemd's private socket, which takes root
// only. `root`: the caller's effective user is root.
base::Result<UniqueBus> open_bus(bool root);

// What a bus error name means to a person who asked for `what` ("start tunctl@a.service").
base::Problem bus_problem(const std::string& what, const char* error_name, const char* message);

// Reads the answer of org.freedesktop.DBus.Properties.GetAll into the fields of `status` it knows.
// Returns false if the message is not an a{sv}.
bool read_unit_properties(sd_bus_message* message, UnitStatus& status);

// Appends what StartTransientUnit takes for ServiceManager::run_later. Negative: an errno.
int append_later(sd_bus_message* call, const std::string& name, std::uint64_t delay_usec,
                 const std::vector<std::string>& command);

// systemd's CPU mask (bit n of byte n/8) as ascending CPU numbers.
std::vector<int> cpus_of_mask(const unsigned char* bytes, std::size_t size);

}  // namespace host
