// SPDX-License-Identifier: Apache-2.0
// Config files of our own making, one for each variety: EXPECT.tsv says whether a file is accepted,
// which engine runs it, and what the first message says. OpenVPN 2.6.14 judges alike but for three:
// it refuses old-keysize.conf and windows-lines.conf, whose odd lines the native engine can pass
// over, and it runs neither-key-nor-tls.conf in clear text in spite of its `cipher` line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "tests/ovpn/corpus_check.h"

namespace ovpn {
namespace {

std::string read_own(std::string_view name) {
  auto bytes = base::read_file(TUNCTL_SOURCE_DIR "/tests/corpus_own/" + std::string(name));
  EXPECT_TRUE(bytes.ok()) << name;
  return bytes ? std::move(bytes).value() : "";
}

std::string first_gap(std::string_view name, const std::string& bytes) {
  const auto gaps = native_gaps(effective_profile(lex_config(name, bytes).profile));
  return gaps.empty() ? "" : base::to_string(gaps.front());
}

TEST(OwnCorpus, EachFileIsJudgedAsExpected) {
  int files = 0;
  const std::string table = read_own("EXPECT.tsv");
  for (const std::string_view line : base::split(table, '\n')) {
    const auto fields = base::split(line, '\t');
    if (fields.size() != 4 || fields[0] == "file") continue;
    ++files;
    const std::string bytes = read_own(fields[0]);
    const Verdict verdict = judge_config(fields[0], bytes);
    EXPECT_EQ(verdict.accepted(), fields[1] == "accept") << fields[0] << ": " << verdict.first();
    const std::string gap = first_gap(fields[0], bytes);
    const bool engine_fits = fields[1] != "accept" || gap.empty() == (fields[2] == "native");
    EXPECT_TRUE(engine_fits) << fields[0] << ": " << gap;
    EXPECT_THAT(verdict.accepted() ? gap : verdict.first(),
                testing::HasSubstr(std::string(fields[3])))
        << fields[0];
  }
  EXPECT_GT(files, 55);
}

}  // namespace
}  // namespace ovpn
