// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/old_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/lexer.h"

namespace cli {
namespace {

constexpr int kCpus = 8;

struct Row {
  const char* what;
  std::vector<std::string> command;
  const char* folder;
  const char* told;  // config, folder, CPUs, options before and behind; or the problem
};

std::string told(const Row& row) {
  const auto old = read_old_command(row.command, row.folder, kCpus);
  if (!old) return old.error().message;
  std::string text = old->config + " in " + old->folder + " on";
  for (const int cpu : old->cpus) text += " " + std::to_string(cpu);
  for (const auto& line : old->before) text += " <" + ovpn::format_directive(line);
  for (const auto& line : old->behind) text += " >" + ovpn::format_directive(line);
  for (const auto& program : old->left_behind) text += " without " + program;
  return text;
}

TEST(OldCommand, IsReadAsOpenvpnReadsIt) {
  const Row rows[] = {
      {"Debian's client unit",
       {"/usr/sbin/openvpn", "--suppress-timestamps", "--nobind", "--config", "x.conf"},
       "/etc/openvpn/client",
       "/etc/openvpn/client/x.conf in /etc/openvpn/client on <nobind\n"},
      {"Debian's server unit",
       {"/usr/sbin/openvpn", "--status", "/run/openvpn-server/status-x.log", "--status-version",
        "2", "--suppress-timestamps", "--config", "x.conf"},
       "/etc/openvpn/server",
       "/etc/openvpn/server/x.conf in /etc/openvpn/server on"},
      {"a folder of its own, and an option behind the config",
       {"/usr/sbin/openvpn", "--cd", "/srv", "--config", "/etc/x.conf", "--verb", "4"},
       "",
       "/etc/x.conf in /srv on >verb 4\n"},
      {"the config as the only word", {"openvpn", "x.conf"}, "/a", "/a/x.conf in /a on"},
      {"taskset", {"/usr/bin/taskset", "-c", "2-4", "openvpn", "x"}, "/", "/x in / on 2 3 4"},
      {"its long option", {"taskset", "--cpu-list", "0", "openvpn", "x"}, "/", "/x in / on 0"},
      {"two in one", {"taskset", "-ac", "7", "openvpn", "x"}, "/", "/x in / on 7"},
      {"a mask", {"taskset", "0x3c", "openvpn", "x"}, "/", "/x in / on 2 3 4 5"},
      {"nice before it",
       {"/usr/bin/nice", "-n", "-5", "/usr/bin/taskset", "1", "openvpn", "x"},
       "/",
       "/x in / on 0 without /usr/bin/nice"},
      {"no config", {"openvpn", "--dev", "tun"}, "/", "its command line names no config"},
      {"two configs", {"openvpn", "--config", "a", "--config", "b"}, "/", "it reads two configs"},
      {"a shell",
       {"/bin/sh", "-c", "openvpn x"},
       "/",
       "it runs a shell (/bin/sh), which may do anything"},
      {"another program", {"/usr/sbin/sshd"}, "/", "it runs /usr/sbin/sshd, which is no openvpn"},
      {"no service", {}, "/", "it runs nothing, which is no openvpn"},
  };
  for (const Row& row : rows) EXPECT_EQ(told(row), row.told) << row.what;
}

}  // namespace
}  // namespace cli
