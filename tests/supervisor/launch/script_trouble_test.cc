// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/script_trouble.h"

#include <gtest/gtest.h>

#include "tests/support/memory_file_store.h"

namespace launch {
namespace {

// (path, its mode, its folder's mode, what is told), each file there.
TEST(ScriptTrouble, NamesTheCauseAndWhatMendsIt) {
  const struct {
    const char* path;
    mode_t mode;
    mode_t folder_mode;
    const char* told;
  } rows[] = {
      {"/opt/x/up.sh", 0755, 0755, ""},
      {"/root"
       "/up.sh",
       0755, 0700,
       "a unit may not enter /root, where /root"
       "/up.sh lies; put it where everyone gets, such as "
       "below /usr/local"},
      {"/run/user/7/up.sh", 0755, 0755,
       "a unit may not enter /run/user, where /run/user/7/up.sh lies; put it where everyone gets, "
       "such as below /usr/local"},
      {"/tmp/up.sh", 0755, 0777,
       "a unit has a /tmp of its own, without /tmp/up.sh; put it where "
       "everyone gets, such as below /usr/local"},
      {"/opt/x/up.sh", 0755, 0750,
       "the unit's user may not enter /opt/x, where /opt/x/up.sh lies; put it where everyone gets, "
       "such as below /usr/local, or: chmod o+x /opt/x"},
      {"/opt/x/up.sh", 0644, 0755, "/opt/x/up.sh is not executable; chmod +x /opt/x/up.sh"},
      {"/opt/x/up.sh", 0750, 0755,
       "the unit's user may not run /opt/x/up.sh; chmod o+rx /opt/x/up.sh"},
  };
  for (const auto& row : rows) {
    support::MemoryFileStore files;
    const std::string path = row.path;
    const std::string folder = path.substr(0, path.rfind('/'));
    ASSERT_EQ(files.make_folder(folder, row.folder_mode), "");
    ASSERT_EQ(files.write(path, "#!/bin/sh\n", row.mode), "");
    const auto trouble = script_trouble(files, path, true);
    EXPECT_EQ(trouble ? base::to_string(*trouble) : "", row.told);
  }
}

TEST(ScriptTrouble, OneThatIsNotThereIsSaidNotToBe) {
  support::MemoryFileStore files;
  const auto trouble = script_trouble(files, "/opt/up.sh", true);
  ASSERT_TRUE(trouble.has_value());
  EXPECT_EQ(trouble->message, "there is no /opt/up.sh");
}

TEST(ScriptTrouble, ALibraryIsNotRun) {
  support::MemoryFileStore files;
  ASSERT_EQ(files.make_folder("/usr/lib/openvpn", 0755), "");
  ASSERT_EQ(files.write("/usr/lib/openvpn/p.so", "", 0644), "");
  EXPECT_FALSE(script_trouble(files, "/usr/lib/openvpn/p.so", false).has_value());
}

}  // namespace
}  // namespace launch
