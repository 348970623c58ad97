// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/unit_record.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

using ::testing::ElementsAre;

UnitStatus running() {
  UnitStatus status;
  status.unit = "tunctl@site-a.service";
  status.loaded = true;
  status.active_state = "active";
  status.sub_state = "running";
  status.result = "success";
  status.status_text = "CONNECTED peer 10.0.0.1:2011 since 1 rx 2 tx 3";
  status.main_pid = 12;
  status.restarts = 3;
  status.active_since = 1764500000;
  return status;
}

TEST(UnitRecord, ReadsBackWhatItWrites) {
  const auto back = parse_unit_record(format_unit_record(running()));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->status_text, running().status_text);
  EXPECT_EQ(back->restarts, 3u);
  EXPECT_EQ(back->active_since, 1764500000);
  EXPECT_FALSE(parse_unit_record("").has_value());
  EXPECT_FALSE(parse_unit_record("{\"unit\": 1}").has_value());
  const std::string whole = format_unit_record(running());
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_FALSE(parse_unit_record(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(UnitRecord, BytesThatAreNoTextDoNotStopIt) {
  UnitStatus status = running();
  status.status_text = "\xff\xfe";
  EXPECT_TRUE(parse_unit_record(format_unit_record(status)).has_value());
}

TEST(RecordedManager, BelievesARecordOnlyWhileItsWriterLives) {
  const TemporaryFolder run;
  RecordedManager manager(run.path());
  EXPECT_EQ(manager.status("tunctl@site-a.service")->active_state, "inactive");
  ASSERT_EQ(base::write_file_atomically(unit_record_path(run.path(), "site-a"),
                                        format_unit_record(running()), 0644),
            "");
  EXPECT_EQ(manager.status("tunctl@site-a.service")->active_state, "inactive");
  {
    const auto lock = lock_site(run.path(), "site-a");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock_site(run.path(), "site-a"));
    EXPECT_EQ(site_holder(run.path(), "site-a"), ::getpid());
    EXPECT_EQ(site_holder(run.path(), "site-b"), 0);
    EXPECT_EQ(manager.status("tunctl@site-a.service")->active_state, "active");
  }
  EXPECT_EQ(manager.status("tunctl@site-a.service")->active_state, "inactive");
  EXPECT_THAT(manager.instances("tunctl@").value(), ElementsAre("tunctl@site-a.service"));
}

TEST(RecordedManager, ChangesNothing) {
  RecordedManager manager("/nowhere");
  EXPECT_TRUE(is_no_systemd(manager.start("tunctl@a.service", {}, {}).error()));
  EXPECT_TRUE(is_no_systemd(manager.enable({"tunctl@a.service"}).error()));
  EXPECT_EQ(manager.version(), 0);
}

TEST(UnitNames, GoBothWays) {
  EXPECT_EQ(unit_of_site("site-a"), "tunctl@site-a.service");
  EXPECT_EQ(site_of_unit("tunctl@site-a.service"), "site-a");
  EXPECT_EQ(site_of_unit("ssh.service"), "ssh.service");
}

}  // namespace
}  // namespace host
