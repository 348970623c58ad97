// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/resolved.h"

#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#include <functional>
#include <string_view>

namespace hostnet {
namespace {

constexpr const char* kName = "org.freedesktop.resolve1";
constexpr const char* kPath = "/org/freedesktop/resolve1";
constexpr const char* kManager = "org.freedesktop.resolve1.Manager";
constexpr std::uint64_t kPatienceMicroseconds = 3'000'000;

// One connection and the last answer; both freed in the end.
class Bus {
 public:
  explicit Bus(const std::string& address) {
    int result = 0;
    if (address.empty()) {
      result = ::sd_bus_open_system(&bus_);
    } else if ((result = ::sd_bus_new(&bus_)) >= 0) {
      ::sd_bus_set_address(bus_, address.c_str());
      ::sd_bus_set_bus_client(bus_, 1);
      result = ::sd_bus_start(bus_);
    }
    open_ = result >= 0;
  }
  ~Bus() { ::sd_bus_flush_close_unref(bus_); }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  bool open() const { return open_; }

  using Fill = std::function<int(sd_bus_message*)>;
  ResolvedAnswer call(const char* method, const Fill& fill, std::string& reason) {
    sd_bus_message* message = nullptr;
    int result = ::sd_bus_message_new_method_call(bus_, &message, kName, kPath, kManager, method);
    if (result >= 0) result = fill(message);
    sd_bus_error error = SD_BUS_ERROR_NULL;
    if (result >= 0) result = ::sd_bus_call(bus_, message, kPatienceMicroseconds, &error, nullptr);
    const ResolvedAnswer answer = judge(result, error, reason);
    ::sd_bus_error_free(&error);
    ::sd_bus_message_unref(message);
    return answer;
  }

 private:
  static ResolvedAnswer judge(int result, const sd_bus_error& error, std::string& reason) {
    if (result >= 0) return ResolvedAnswer::kDone;
    const std::string_view name = error.name == nullptr ? "" : error.name;
    if (name == SD_BUS_ERROR_SERVICE_UNKNOWN || name == SD_BUS_ERROR_NAME_HAS_NO_OWNER ||
        name.starts_with("org.freedesktop.systemd1.")) {
      return ResolvedAnswer::kAbsent;
    }
    reason = error.message != nullptr ? error.message : ::strerror(-result);
    return ResolvedAnswer::kRefused;
  }

  sd_bus* bus_ = nullptr;
  bool open_ = false;
};

int family_of(const base::IpAddress& address) { return address.is_v4() ? AF_INET : AF_INET6; }

int fill_servers(sd_bus_message* message, int index, const DnsPlan& plan) {
  int result = ::sd_bus_message_append(message, "i", index);
  if (result >= 0) result = ::sd_bus_message_open_container(message, 'a', "(iayqs)");
  for (const DnsServerPlan& server : plan.servers) {
    if (result < 0) return result;
    ::sd_bus_message_open_container(message, 'r', "iayqs");
    ::sd_bus_message_append(message, "i", family_of(server.address));
    const auto bytes = server.address.bytes();
    ::sd_bus_message_append_array(message, 'y', bytes.data(), bytes.size());
    ::sd_bus_message_append(message, "qs", server.port, "");
    result = ::sd_bus_message_close_container(message);
  }
  return result < 0 ? result : ::sd_bus_message_close_container(message);
}

int fill_domains(sd_bus_message* message, int index, const DnsPlan& plan) {
  int result = ::sd_bus_message_append(message, "i", index);
  if (result >= 0) result = ::sd_bus_message_open_container(message, 'a', "(sb)");
  const auto add = [&](const std::string& domain, int routing_only) {
    if (result >= 0)
      result = ::sd_bus_message_append(message, "(sb)", domain.c_str(), routing_only);
  };
  for (const std::string& domain : plan.search) add(domain, 0);
  for (const std::string& domain : plan.routing) add(domain, 1);
  if (plan.all_names.value_or(false)) add(".", 1);
  return result < 0 ? result : ::sd_bus_message_close_container(message);
}

}  // namespace

ResolvedAnswer resolved_set_link(const std::string& address, int index, const DnsPlan& plan,
                                 std::string& reason) {
  Bus bus(address);
  if (!bus.open()) return ResolvedAnswer::kAbsent;
  ResolvedAnswer answer = bus.call(
      "SetLinkDNSEx", [&](sd_bus_message* m) { return fill_servers(m, index, plan); }, reason);
  if (answer != ResolvedAnswer::kDone) return answer;
  answer = bus.call(
      "SetLinkDomains", [&](sd_bus_message* m) { return fill_domains(m, index, plan); }, reason);
  if (answer != ResolvedAnswer::kDone || !plan.all_names) return answer;
  const int all = *plan.all_names ? 1 : 0;
  return bus.call(
      "SetLinkDefaultRoute",
      [&](sd_bus_message* m) { return ::sd_bus_message_append(m, "ib", index, all); }, reason);
}

ResolvedAnswer resolved_revert_link(const std::string& address, int index, std::string& reason) {
  Bus bus(address);
  if (!bus.open()) return ResolvedAnswer::kAbsent;
  return bus.call(
      "RevertLink", [&](sd_bus_message* m) { return ::sd_bus_message_append(m, "i", index); },
      reason);
}

}  // namespace hostnet
