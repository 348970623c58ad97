// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/owned_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kEngine = 54321;

struct stat status_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

TEST(OwnedFolder, AFileHasItsModeAndItsFolderOwnersName) {
  const TemporaryFolder top;
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::chown(top.path().c_str(), kEngine, kEngine), 0);
  }
  auto folder = OwnedFolder::open(top.path());
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->write("a.key", "secret", 0400), "");
  EXPECT_EQ(status_of(top / "a.key").st_mode & 07777, 0400u);
  EXPECT_EQ(status_of(top / "a.key").st_uid, root ? kEngine : ::getuid());
  EXPECT_EQ(folder->read("a.key").value(), "secret");
  folder->remove("a.key");
  folder->remove("a.key");
  EXPECT_FALSE(folder->read("a.key").has_value());
}

TEST(OwnedFolder, ALinkInTheWayIsReplacedAndItsTargetUntouched) {
  const TemporaryFolder top, elsewhere;
  ASSERT_EQ(base::write_file_atomically(elsewhere / "shadow", "root:x", 0600), "");
  ASSERT_EQ(::symlink((elsewhere / "shadow").c_str(), (top / "site.conf").c_str()), 0);
  auto folder = OwnedFolder::open(top.path());
  ASSERT_TRUE(folder);
  EXPECT_FALSE(folder->read("site.conf").has_value());
  EXPECT_EQ(folder->write("site.conf", "dev tun\n", 0400), "");
  EXPECT_EQ(base::read_file(elsewhere / "shadow").value(), "root:x");
  EXPECT_TRUE(S_ISREG(status_of(top / "site.conf").st_mode));
}

TEST(OwnedFolder, AFolderThatIsALinkIsRefused) {
  const TemporaryFolder top, elsewhere;
  ASSERT_EQ(::symlink(elsewhere.path().c_str(), (top / "site").c_str()), 0);
  EXPECT_FALSE(OwnedFolder::open(top / "site"));
  EXPECT_THAT(give_folder(top.path(), "site", ::getuid(), ::getgid()), HasSubstr("site"));
}

TEST(GiveFolder, MakesItPrivateAndGivesPlainFilesOnly) {
  const TemporaryFolder top, elsewhere;
  const bool root = ::geteuid() == 0;
  const uid_t owner = root ? kEngine : ::getuid();
  const gid_t group = root ? kEngine : ::getgid();
  const std::string parent = top / "lib";
  ::umask(0077);
  EXPECT_EQ(give_folder(parent, "site", owner, group), "");
  EXPECT_EQ(status_of(parent).st_mode & 07777, 0755u);
  EXPECT_EQ(status_of(parent + "/site").st_mode & 07777, 0700u);
  EXPECT_EQ(status_of(parent + "/site").st_uid, owner);

  ASSERT_EQ(base::write_file_atomically(parent + "/site/id", "7", 0600), "");
  ASSERT_EQ(base::write_file_atomically(elsewhere / "shadow", "x", 0600), "");
  ASSERT_EQ(::symlink((elsewhere / "shadow").c_str(), (parent + "/site/soft").c_str()), 0);
  ASSERT_EQ(::link((elsewhere / "shadow").c_str(), (parent + "/site/hard").c_str()), 0);
  EXPECT_EQ(give_folder(parent, "site", owner, group), "");
  EXPECT_EQ(status_of(parent + "/site/id").st_uid, owner);
  EXPECT_EQ(status_of(elsewhere / "shadow").st_uid, ::getuid());
}

}  // namespace
}  // namespace host
