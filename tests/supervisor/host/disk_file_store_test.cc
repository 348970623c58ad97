// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/disk_file_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DiskFileStore, WritesBelowItsRootWithTheModeAskedFor) {
  const TemporaryFolder root;
  ::umask(0077);
  DiskFileStore disk(root.path() + "/");
  EXPECT_EQ(disk.make_folder("/etc/tunctl/keys", 0700), "");
  EXPECT_EQ(disk.write("/etc/tunctl/a.toml", "x = 1\n", 0644), "");
  EXPECT_EQ(disk.read("/etc/tunctl/a.toml").value(), "x = 1\n");
  EXPECT_EQ(disk.status("/etc/tunctl")->mode, 0755u);  // a parent, whatever the umask
  EXPECT_EQ(disk.status("/etc/tunctl/keys")->mode, 0700u);
  EXPECT_TRUE(disk.status("/etc/tunctl/keys")->is_directory);
  EXPECT_EQ(disk.status("/etc/tunctl/a.toml")->mode, 0644u);
  EXPECT_THAT(disk.list("/etc/tunctl"), ElementsAre("a.toml", "keys"));
  EXPECT_EQ(::access((root / "etc/tunctl/a.toml").c_str(), F_OK), 0);
}

TEST(DiskFileStore, TellsALinkFromWhatItLeadsTo) {
  const TemporaryFolder root;
  DiskFileStore disk(root.path());
  EXPECT_EQ(disk.make_folder("/real", 0700), "");
  ASSERT_EQ(::symlink("real", (root / "link").c_str()), 0);
  EXPECT_FALSE(disk.status("/real")->is_link);
  EXPECT_TRUE(disk.status("/link")->is_link);
  EXPECT_TRUE(disk.status("/link")->is_directory);
  EXPECT_EQ(disk.remove("/link"), "");
  EXPECT_TRUE(disk.status("/real"));
}

TEST(DiskFileStore, AFolderThatIsThereKeepsItsMode) {
  const TemporaryFolder root;
  DiskFileStore disk(root.path());
  EXPECT_EQ(disk.make_folder("/keys", 0700), "");
  EXPECT_EQ(disk.make_folder("/keys", 0755), "");
  EXPECT_EQ(disk.status("/keys")->mode, 0700u);
}

TEST(DiskFileStore, FailuresNameThePathAndTheReason) {
  const TemporaryFolder root;
  DiskFileStore disk(root.path());
  EXPECT_THAT(disk.read("/none").error().message, HasSubstr("/none: No such file"));
  EXPECT_THAT(disk.write("/none/file", "", 0644), HasSubstr("No such file"));
  ASSERT_EQ(disk.write("/file", "", 0644), "");
  EXPECT_THAT(disk.make_folder("/file/below", 0755), HasSubstr("in the way"));
  EXPECT_FALSE(disk.status("/none").has_value());
  EXPECT_THAT(disk.list("/none"), ElementsAre());
}

TEST(DiskFileStore, RemovesFilesAndEmptyFoldersOnly) {
  const TemporaryFolder root;
  DiskFileStore disk(root.path());
  ASSERT_EQ(disk.make_folder("/a/b", 0755), "");
  EXPECT_THAT(disk.remove("/a"), HasSubstr("not empty"));
  EXPECT_EQ(disk.remove("/a/b"), "");
  EXPECT_EQ(disk.remove("/a"), "");
  EXPECT_EQ(disk.remove("/a"), "");
}

TEST(DiskFileStore, SetOwnerDoesNotFollowALink) {
  const TemporaryFolder root;
  DiskFileStore disk(root.path());
  ASSERT_EQ(::symlink("/nowhere/at/all", (root / "link").c_str()), 0);
  EXPECT_EQ(disk.set_owner("/link", ::getuid(), ::getgid()), "");
  EXPECT_TRUE(disk.writable("/"));
  EXPECT_FALSE(disk.writable("/none"));
}

}  // namespace
}  // namespace host
