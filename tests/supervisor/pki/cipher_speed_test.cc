// SPDX-License-Identifier: Apache-2.0
#include "supervisor/pki/cipher_speed.h"

#include <gtest/gtest.h>

#include "base/cpu_list.h"

namespace pki {
namespace {

TEST(CipherSpeed, EveryTaskOnEveryCpuInAboutTheTimeGiven) {
  const std::vector<int> before = base::affinity_of(0);
  const std::vector<SpeedTask> tasks{{"AES-256-GCM", ""},
                                     {"CHACHA20-POLY1305", ""},
                                     {"AES-256-CBC", "SHA256"},
                                     {"NO-SUCH-CIPHER", ""},
                                     {"AES-256-CBC", "NO-SUCH-DIGEST"}};
  const base::TimePoint begin = base::monotonic_now();
  const auto speeds =
      measure_ciphers(tasks, {before.front(), base::kCpusMax - 1}, std::chrono::milliseconds(60));
  EXPECT_LT(base::monotonic_now() - begin, std::chrono::seconds(20));
  ASSERT_EQ(speeds.size(), 2 * tasks.size());
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_EQ(speeds[at].task, tasks[at]);
    EXPECT_EQ(speeds[at].cpu, before.front());
    ASSERT_TRUE(speeds[at].bytes_per_second) << tasks[at].cipher;
    for (const double speed : *speeds[at].bytes_per_second) EXPECT_GT(speed, 1e5);
  }
  EXPECT_FALSE(speeds[3].bytes_per_second);
  EXPECT_FALSE(speeds[4].bytes_per_second);
  // A CPU that is not there is one more that was not measured.
  for (std::size_t at = tasks.size(); at < speeds.size(); ++at) {
    EXPECT_FALSE(speeds[at].bytes_per_second);
  }
  EXPECT_EQ(base::affinity_of(0), before) << "this thread stays where it was";
}

TEST(CipherSpeed, NothingToMeasureTakesNoTime) {
  EXPECT_TRUE(measure_ciphers({}, {0}, std::chrono::hours(1)).empty());
  EXPECT_TRUE(measure_ciphers({}, {}, std::chrono::hours(1)).empty());
}

}  // namespace
}  // namespace pki
