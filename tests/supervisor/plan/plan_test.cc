// SPDX-License-Identifier: Apache-2.0
#include "supervisor/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/plan/apply.h"
#include "tests/support/fake_service_manager.h"
#include "tests/support/memory_file_store.h"

namespace plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words(const std::vector<Action>& actions) {
  std::vector<std::string> text;
  for (const Action& action : actions) text.push_back(describe(action));
  return text;
}

Desired everything() {
  Desired desired;
  desired.folders = {{"/etc/x", 0700}};
  desired.files = {{"/etc/x/key", "k", 0600, true},
                   {"/etc/systemd/system/u.service.d/x.conf", "[Service]\n", 0644, false}};
  desired.folders.push_back({"/etc/systemd/system/u.service.d", 0755});
  desired.enabled = {"u.service"};
  desired.absent = {"/etc/old/file", "/etc/old"};
  return desired;
}

TEST(Plan, MakesFoldersThenFilesThenUnits) {
  Present present;
  present.files["/etc/old"] = {true, 0755, ""};
  present.files["/etc/old/file"] = {false, 0644, "x"};
  EXPECT_THAT(
      words(plan(everything(), present)),
      ElementsAre("make folder /etc/x (0700)", "make folder /etc/systemd/system/u.service.d (0755)",
                  "write /etc/x/key (0600, 1 bytes)",
                  "write /etc/systemd/system/u.service.d/x.conf (0644, 10 bytes)",
                  "remove /etc/old/file", "remove /etc/old", "reload systemd's unit files",
                  "enable u.service"));
}

TEST(Plan, WritesWhatDiffersInBytesOrMode) {
  Desired desired;
  desired.files = {{"/a", "1", 0600, true}, {"/b", "1", 0600, true}, {"/c", "1", 0600, true}};
  Present present;
  present.files["/a"] = {false, 0600, "1"};
  present.files["/b"] = {false, 0644, "1"};
  present.files["/c"] = {false, 0600, "2"};
  EXPECT_THAT(words(plan(desired, present)),
              ElementsAre("write /b (0600, 1 bytes)", "write /c (0600, 1 bytes)"));
}

TEST(Plan, StopsAndDisablesOnlyWhatIsNot) {
  Desired desired;
  desired.stopped = desired.disabled = {"u.service"};
  Present present;
  EXPECT_THAT(plan(desired, present), IsEmpty());
  present.units["u.service"] = {true, true};
  EXPECT_THAT(words(plan(desired, present)), ElementsAre("disable u.service", "stop u.service"));
}

struct Machine {
  support::MemoryFileStore files;
  support::FakeServiceManager services;

  Machine() { files.put("/etc/old/file", "x"); }
  std::vector<Action> plan_here(const Desired& desired) {
    const auto present = observe(desired, files, &services);
    EXPECT_TRUE(present);
    return plan(desired, *present);
  }
};

TEST(Apply, LeavesNothingToDo) {
  Machine machine;
  const auto actions = machine.plan_here(everything());
  EXPECT_FALSE(apply(actions, machine.files, &machine.services));
  EXPECT_EQ(machine.files.text("/etc/x/key"), "k");
  EXPECT_EQ(machine.files.mode("/etc/x/key"), 0600u);
  EXPECT_THAT(machine.services.calls, ElementsAre("daemon-reload", "enable u.service"));
  EXPECT_THAT(words(machine.plan_here(everything())), IsEmpty());
}

TEST(Apply, PutsBackWhatItTouchedWhateverStepFails) {
  for (int step = 0; step < 6; ++step) {
    Machine machine;
    machine.files.put("/etc/x/key", "before", 0640);
    const auto before = machine.files.entries;
    machine.files.fail_from = step;
    const auto problem = apply(machine.plan_here(everything()), machine.files, &machine.services);
    if (step == 5) {
      EXPECT_FALSE(problem) << "only five of the steps change files";
      continue;
    }
    ASSERT_TRUE(problem) << step;
    EXPECT_NE(problem->message.find("No space left"), std::string::npos);
    EXPECT_EQ(machine.files.text("/etc/x/key"), "before");
    EXPECT_EQ(machine.files.mode("/etc/x/key"), 0640u);
    EXPECT_EQ(machine.files.text("/etc/old/file"), "x");
    EXPECT_EQ(machine.files.text("/etc/systemd/system/u.service.d/x.conf"), "(absent)");
    EXPECT_TRUE(machine.services.calls.empty());
  }
}

TEST(Apply, MasksAndUnmasksOnce) {
  Machine machine;
  Desired desired;
  desired.masked = {"u.service"};
  ASSERT_FALSE(apply(machine.plan_here(desired), machine.files, &machine.services));
  EXPECT_TRUE(machine.plan_here(desired).empty());
  desired = {};
  desired.unmasked = {"u.service"};
  ASSERT_FALSE(apply(machine.plan_here(desired), machine.files, &machine.services));
  EXPECT_TRUE(machine.plan_here(desired).empty());
  EXPECT_THAT(machine.services.calls, ElementsAre("mask u.service", "unmask u.service"));
}

// A read-only /etc shows itself only when a file is to go.
TEST(Apply, WhatWasStoppedAndDisabledIsPutBackWhenAFileCannotGo) {
  Machine machine;
  machine.services.units["u.service"].unit_file_state = "enabled";
  machine.services.units["u.service"].active_state = "active";
  machine.files.fail_from = 0;
  Desired desired;
  desired.stopped = desired.disabled = {"u.service"};
  desired.absent = {"/etc/old/file"};
  ASSERT_TRUE(apply(machine.plan_here(desired), machine.files, &machine.services));
  EXPECT_EQ(machine.services.units["u.service"].unit_file_state, "enabled");
  EXPECT_EQ(machine.services.units["u.service"].active_state, "active");
  EXPECT_THAT(machine.services.calls,
              ElementsAre("disable u.service", "stop u.service", "daemon-reload", "start u.service",
                          "enable u.service"));
}

TEST(Apply, AManagerThatRefusesHasStoppedNothing) {
  Machine machine;
  machine.services.units["u.service"].unit_file_state = "enabled";
  machine.services.units["u.service"].active_state = "active";
  machine.services.permitted = false;
  Desired desired;
  desired.stopped = desired.disabled = {"u.service"};
  ASSERT_TRUE(apply(machine.plan_here(desired), machine.files, &machine.services));
  EXPECT_EQ(machine.services.units["u.service"].active_state, "active");
  EXPECT_THAT(machine.services.calls, IsEmpty());
}

TEST(Apply, PutsFilesBackIfTheManagerRefuses) {
  Machine machine;
  machine.services.permitted = false;
  const auto problem = apply(machine.plan_here(everything()), machine.files, &machine.services);
  ASSERT_TRUE(problem);
  EXPECT_TRUE(host::is_not_permitted(*problem));
  EXPECT_EQ(machine.files.text("/etc/x/key"), "(absent)");
  EXPECT_EQ(machine.files.text("/etc/old/file"), "x");
}

}  // namespace
}  // namespace plan
