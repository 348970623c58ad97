// SPDX-License-Identifier: Apache-2.0
// prepare over a real folder as its root: what it leaves, and what it says when it cannot.
#include "supervisor/launch/prepare.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/launch/start_digest.h"
#include "tests/supervisor/host/temporary_folder.h"
#include "tests/support/sample_certificate.h"

namespace launch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPort = 20117;

std::string site_text() {
  return "type = \"p2p\"\nport = " + std::to_string(kPort) +
         "\nremote = [\"127.0.0.1\"]\ndev = \"tct-none0\"\n"
         "ifconfig = [\"10.8.0.2\", \"10.8.0.1\"]\nmode = \"static-key\"\nsecret = \"a.key\"\n";
}

std::string key_text() {
  std::string text = "-----BEGIN OpenVPN Static key V1-----\n";
  for (int line = 0; line < 16; ++line)
    text += "000102030405060708090a0b0c0d0e" + std::string(1, "0123456789abcdef"[line]) + "f\n";
  return text + "-----END OpenVPN Static key V1-----\n";
}

class PrepareTest : public ::testing::Test {
 protected:
  PrepareTest() {
    put("/etc/tunctl/sites/a.toml", site_text(), 0644);
    put("/etc/tunctl/keys/a/a.key", key_text(), 0600);
    EXPECT_EQ(disk.make_folder(root.path() + "/run/tunctl/a", 0711), "");
  }
  void put(const std::string& path, const std::string& text, mode_t mode) {
    const std::string whole = root.path() + path;
    EXPECT_EQ(disk.make_folder(site::folder_of(whole), 0755), "");
    EXPECT_EQ(disk.write(whole, text, mode), "");
  }
  int prepare(bool reload = false) {
    said.clear();
    const PrepareRequest request{"a",
                                 site::Paths(root.path()),
                                 {"/sbin/tunctl-fastpath", "/sbin/openvpn"},
                                 8,
                                 reload,
                                 0,
                                 [this] {
                                   ++looks;
                                   return machine;
                                 }};
    return prepare_site(request, disk, log);
  }
  std::string runtime(const std::string& name) { return root.path() + "/run/tunctl/a/" + name; }
  LaunchPlan plan() {
    return parse_launch_plan("launch.json", base::read_file(runtime("launch.json")).value())
        .value();
  }

  base::Machine machine;
  int looks = 0;  // at it
  TemporaryFolder root;
  host::DiskFileStore disk;
  std::string said;
  base::Log log{[this](base::LogLevel level, std::string_view line) {
    said.append(std::to_string(static_cast<int>(level))).append(" ").append(line).append("\n");
  }};
};

TEST_F(PrepareTest, LeavesConfigKeyAndPlan) {
  ASSERT_EQ(prepare(), 0) << said;
  for (const char* name : {"a.conf", "a.key"}) EXPECT_EQ(disk.status(runtime(name))->mode, 0400u);
  EXPECT_EQ(disk.status(runtime("launch.json"))->mode, 0444u);
  EXPECT_EQ(base::read_file(runtime("a.key")).value(), key_text());
  EXPECT_THAT(base::read_file(runtime("a.conf")).value(), HasSubstr("secret " + runtime("a.key")));
  EXPECT_TRUE(plan().fastpath);
  EXPECT_EQ(plan().interface, "tct-none0");
  EXPECT_EQ(plan().state_folder, root.path() + "/var/lib/tunctl/a");
  EXPECT_EQ(disk.status(plan().state_folder)->mode, 0700u);
  EXPECT_EQ(base::read_file(root.path() + "/run/tunctl/.interfaces/tct-none0").value(),
            "a\nname-servers link\n");
  EXPECT_FALSE(disk.status(runtime("failure")).has_value());
}

// tunctl-helper believes the mark, and not the engine.
TEST_F(PrepareTest, TheMarkSaysWhatTheSiteLetsBeChanged) {
  for (const auto& [use, right] :
       {std::pair{"\"off\"", "none"}, {"\"pushed\"", "machine"}, {"[\"10.0.0.1\"]", "machine"}}) {
    put("/etc/tunctl/sites/a.toml", site_text() + "[dns]\nuse = " + use + "\n", 0644);
    ASSERT_EQ(prepare(), 0) << said;
    EXPECT_EQ(base::read_file(root.path() + "/run/tunctl/.interfaces/tct-none0").value(),
              "a\nname-servers " + std::string(right) + "\n");
  }
}

// Two little CPUs, of which 0 has the card, and four big ones.
base::Machine little_and_big() {
  base::Machine machine;
  for (int number = 0; number < 6; ++number) {
    base::Cpu cpu;
    cpu.number = number;
    cpu.capacity = number < 2 ? 592 : 1024;
    machine.cpus.push_back(cpu);
  }
  machine.nics = {{"eth0", true, -1, {{20, "eth0", {}, {}, {0}}}, {}}};
  return machine;
}

TEST_F(PrepareTest, AWordForCpusIsDecidedAtEveryStart) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"auto\"\n", 0644);
  machine = little_and_big();
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(plan().cpus, (std::vector{2, 3, 4, 5}));
  EXPECT_EQ(plan().cpus_word, "auto");
  ASSERT_FALSE(plan().cpus_reasons.empty());
  EXPECT_EQ(plan().cpus_reasons[0], "auto: CPUs 2-5");
  EXPECT_THAT(said, HasSubstr("run.cpus: auto: CPUs 2-5"));
  machine.cpus.resize(4);  // two have gone since
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(plan().cpus, (std::vector{2, 3}));
  EXPECT_EQ(looks, 2);
}

TEST_F(PrepareTest, ARefusedReloadLeavesItsReasonForWhoeverAskedForIt) {
  ASSERT_EQ(prepare(), 0) << said;
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\nwatchdog = 0\n", 0644);
  EXPECT_EQ(prepare(true), kExitFailed);
  const auto note = parse_failure_note(base::read_file(runtime("reload-failure")).value());
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(
      note->message,
      "what changed in the site file cannot be taken over by a running tunnel; tunctl restart "
      "a");
  EXPECT_FALSE(disk.status(runtime("failure")).has_value()) << "what runs has not failed";
  EXPECT_TRUE(disk.status(runtime("launch.json")).has_value());
  put("/etc/tunctl/sites/a.toml", site_text(), 0644);
  EXPECT_EQ(prepare(true), 0) << said;
  EXPECT_FALSE(disk.status(runtime("reload-failure")).has_value());
}

TEST_F(PrepareTest, AReloadLeavesTheEngineWhereItIs) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"auto\"\n", 0644);
  machine = little_and_big();
  ASSERT_EQ(prepare(), 0) << said;
  const LaunchPlan before = plan();
  machine.nics[0].interrupts[0].effective = {2};
  ASSERT_EQ(prepare(true), 0) << said;
  EXPECT_EQ(plan(), before);
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"little\"\n", 0644);
  EXPECT_EQ(prepare(true), kExitFailed);
  EXPECT_THAT(said, HasSubstr("cannot be taken over by a running tunnel"));
}

TEST_F(PrepareTest, AReloadIsWithTheSiteFileAsItIsNow) {
  ASSERT_EQ(prepare(), 0) << said;
  const auto noted = [this] { return base::read_file(runtime(kStartDigestFile)).value(); };
  const std::string before = noted();
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(disk.status(runtime(kStartDigestFile))->mode, 0400u);
  put("/etc/tunctl/sites/a.toml", "# edited\n" + site_text(), 0644);
  ASSERT_EQ(prepare(true), 0) << said;
  EXPECT_EQ(noted(), before);
  put("/etc/tunctl/sites/a.toml", "verb = 4\n" + site_text(), 0644);
  ASSERT_EQ(prepare(true), 0) << said;
  EXPECT_NE(noted(), before);
}

TEST_F(PrepareTest, TheMachineIsNotLookedAtForAList) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"1-2\"\n", 0644);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(plan().cpus, (std::vector{1, 2}));
  EXPECT_EQ(plan().cpus_word, "");
  EXPECT_EQ(looks, 0);
}

TEST_F(PrepareTest, SharesWithTunnelsThatRun) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"auto\"\n", 0644);
  machine = little_and_big();
  LaunchPlan other;
  other.site = "b";
  other.cpus = {2, 3, 4, 5};
  put("/run/tunctl/b/launch.json", format_launch_plan(other), 0444);
  put("/run/tunctl/c/launch.json", "{", 0444);
  // Left by a `tunctl run` that was killed.
  put("/run/tunctl/.run/d/launch.json", format_launch_plan(other), 0444);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(plan().cpus, (std::vector{3, 4}));
  EXPECT_THAT(said, HasSubstr("1 other tunnel is on 4 of these 4 CPUs; this one takes 2 of them"));
}

TEST_F(PrepareTest, AMachineThatHidesItsCpusStartsTheTunnelAllTheSame) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\ncpus = \"auto\"\n", 0644);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_TRUE(plan().cpus.empty());
  EXPECT_THAT(said, HasSubstr("what CPUs there are could not be read"));
}

TEST_F(PrepareTest, AMissingKeyIsOneClearErrorForGood) {
  ASSERT_EQ(disk.remove(root.path() + "/etc/tunctl/keys/a/a.key"), "");
  EXPECT_EQ(prepare(), kExitPermanent);
  EXPECT_THAT(said, HasSubstr("a.key: No such file or directory"));
  EXPECT_FALSE(disk.status(runtime("launch.json")).has_value());
  const auto note = parse_failure_note(base::read_file(runtime("failure")).value());
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->exit_status, kExitPermanent);
  EXPECT_THAT(note->message, HasSubstr("a.key"));
}

TEST_F(PrepareTest, NoEngineBeginsWithoutWhatAPersonMustGive) {
  put("/etc/tunctl/sites/a.toml", "config = \"a.conf\"\n", 0644);
  put("/etc/tunctl/ovpn/a.conf",
      "client\ndev tun\nremote 127.0.0.1\nauth-user-pass\n" + support::kSampleCa, 0600);
  EXPECT_EQ(prepare(), kExitPermanent);
  EXPECT_THAT(said, HasSubstr("nobody has given the user name and the password; `tunctl "
                              "credentials a`"));
  EXPECT_FALSE(disk.status(runtime("launch.json")).has_value());
  put("/etc/tunctl/keys/a/auth-user-pass", "joe\nword\n", 0600);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(disk.status(runtime("auth-user-pass"))->mode, 0400u);
  EXPECT_EQ(base::read_file(runtime("auth-user-pass")).value(), "joe\nword\n");
  const std::string config = base::read_file(runtime("a.conf")).value();
  EXPECT_THAT(config, HasSubstr("auth-user-pass " + runtime("auth-user-pass") + "\n"));
  EXPECT_THAT(config, Not(HasSubstr("word")));
  EXPECT_THAT(said, Not(HasSubstr("word\n")));
  EXPECT_THAT(plan().argv, testing::Not(testing::Contains("word")));
}

TEST_F(PrepareTest, WhatSystemdShouldHaveGivenIsNamed) {
  put("/etc/tunctl/sites/a.toml",
      "config = \"a.conf\"\n[credentials]\nauth-user-pass = \"credential:vpn\"\n", 0644);
  put("/etc/tunctl/ovpn/a.conf",
      "client\ndev tun\nremote 127.0.0.1\nauth-user-pass\n" + support::kSampleCa, 0600);
  EXPECT_EQ(prepare(), kExitPermanent);
  EXPECT_THAT(said, HasSubstr("a.toml:3:1: the unit has no credential vpn; `systemctl edit "
                              "tunctl@a`: LoadCredential=vpn:/path, in [Service]"));
}

TEST_F(PrepareTest, AnErrorInTheSiteFileIsForGoodAndTheOldPlanIsGone) {
  ASSERT_EQ(prepare(), 0) << said;
  put("/etc/tunctl/sites/a.toml", "cpu = \"2-5\"\n" + site_text(), 0644);
  EXPECT_EQ(prepare(), kExitPermanent);
  EXPECT_THAT(said, HasSubstr("a.toml:1:1"));
  EXPECT_FALSE(disk.status(runtime("launch.json")).has_value());
  put("/etc/tunctl/sites/a.toml", site_text(), 0644);
  EXPECT_EQ(prepare(), 0);
  EXPECT_FALSE(disk.status(runtime("failure")).has_value());
}

TEST_F(PrepareTest, APortThatIsTakenIsNamedAndMayBeFreeLater) {
  base::UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(prepare(), kExitFailed);
  // The kernel's word for this process, which is an emulator's where the test runs in one.
  const std::string me(base::trim(base::read_file("/proc/self/comm").value()));
  EXPECT_THAT(said, HasSubstr("UDP port 20117 is taken by " + me + " (pid "));
  fd.reset();
  EXPECT_EQ(prepare(), 0) << said;
}

TEST_F(PrepareTest, AnInterfaceThatIsNoTunIsRefused) {
  std::string text = site_text();
  text.replace(text.find("tct-none0"), 9, "lo");
  put("/etc/tunctl/sites/a.toml", text, 0644);
  EXPECT_NE(prepare(), 0);
  EXPECT_THAT(said, HasSubstr("lo"));
}

TEST_F(PrepareTest, WhereVarCannotBeWrittenStateOutlivesTheRuntimeFolder) {
  put("/var/lib/tunctl", "a file in the way", 0644);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(plan().state_folder, root.path() + "/run/tunctl/.state/a");
  EXPECT_THAT(said, HasSubstr("until the next boot"));
  put("/run/tunctl/.state/a/packet-time", "1", 0600);
  // What systemd does at a stop, and `prepare` at the start that follows.
  std::filesystem::remove_all(runtime(""));
  std::filesystem::create_directories(runtime(""));
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_EQ(base::read_file(plan().state_folder + "/packet-time").value(), "1");
}

TEST_F(PrepareTest, StockIsNamedWithItsReason) {
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\nengine = \"openvpn\"\n", 0644);
  ASSERT_EQ(prepare(), 0) << said;
  EXPECT_FALSE(plan().fastpath);
  EXPECT_EQ(plan().program, "/sbin/openvpn");
  EXPECT_NE(plan().reason, "");
}

TEST_F(PrepareTest, ReloadTakesOverWhatItCanAndLeavesTheRestAlone) {
  ASSERT_EQ(prepare(), 0) << said;
  put("/etc/tunctl/sites/a.toml", site_text() + "keepalive = [10, 60]\n", 0644);
  EXPECT_EQ(prepare(true), 0) << said;
  EXPECT_THAT(base::read_file(runtime("a.conf")).value(), HasSubstr("keepalive 10 60"));
  put("/etc/tunctl/sites/a.toml", site_text() + "[run]\nengine = \"openvpn\"\n", 0644);
  EXPECT_EQ(prepare(true), kExitFailed);
  EXPECT_THAT(said, HasSubstr("; tunctl restart a\n"));
  EXPECT_THAT(base::read_file(runtime("a.conf")).value(), HasSubstr("keepalive"));
  put("/etc/tunctl/sites/a.toml", "nonsense", 0644);
  EXPECT_EQ(prepare(true), kExitFailed);
  EXPECT_TRUE(plan().fastpath);
  EXPECT_FALSE(disk.status(runtime("failure")).has_value());
}

TEST_F(PrepareTest, WithoutARuntimeFolderItSaysWhoMakesOne) {
  ASSERT_EQ(disk.remove(root.path() + "/run/tunctl/a"), "");
  EXPECT_EQ(prepare(), kExitFailed);
  EXPECT_THAT(said, HasSubstr("`tunctl start`"));
}

TEST_F(PrepareTest, SaysNothingOfAKeysBytes) {
  put("/etc/tunctl/keys/a/a.key", "-----BEGIN OpenVPN Static key V1-----\nfeedface\n", 0644);
  EXPECT_EQ(prepare(), kExitPermanent);
  EXPECT_THAT(said, Not(HasSubstr("feedface")));
}

}  // namespace
}  // namespace launch
