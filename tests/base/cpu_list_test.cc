// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <gtest/gtest.h>

namespace base {
namespace {

struct Row {
  const char* text;
  int cpu_count;
  const char* result;  // as format_cpu_list prints it; "" means refused
};

TEST(CpuList, ReadsWhatTasksetReads) {
  const Row rows[] = {
      {"2-5", 6, "2-5"},     {"0,3-", 6, "0,3-5"}, {"0-7:2", 8, "0,2,4,6"},
      {"3,1,2,2", 4, "1-3"}, {" 1 , 0", 2, "0-1"}, {"9", 2, "9"},
      {"", 4, ""},           {"a", 4, ""},         {"3-1", 4, ""},
      {"-1", 4, ""},         {"1,,2", 4, ""},      {"0-4:0", 8, ""},
      {"99999", 4, ""},
  };
  for (const Row& row : rows) {
    const auto cpus = parse_cpu_list(row.text, row.cpu_count);
    EXPECT_EQ(cpus ? format_cpu_list(*cpus) : "", row.result) << row.text;
  }
}

TEST(CpuList, ReadsMasks) {
  const struct {
    const char* text;
    const char* result;  // "-": refused
  } rows[] = {
      {"3c", "2-5"},        {"0x3c", "2-5"}, {"00000000,0000003c", "2-5"},
      {"1,00000000", "32"}, {"0", ""},       {"", "-"},
      {"0x", "-"},          {"3g", "-"},     {"-1", "-"},
      {",", "-"},
  };
  for (const auto& row : rows) {
    const auto cpus = parse_cpu_mask(row.text);
    EXPECT_EQ(cpus ? format_cpu_list(*cpus) : "-", row.result) << row.text;
  }
  EXPECT_EQ(parse_cpu_mask("8" + std::string(kCpusMax / 4 - 1, '0')), std::vector{kCpusMax - 1});
  EXPECT_EQ(parse_cpu_mask("1" + std::string(kCpusMax / 4, '0')), std::nullopt);
}

TEST(CpuList, AffinityIsReadBackFromTheKernel) {
  const std::vector<int> before = affinity_of(0);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(set_affinity(0, {before.back()}), "");
  EXPECT_EQ(affinity_of(0), std::vector<int>{before.back()});
  EXPECT_EQ(set_affinity(0, before), "");
  EXPECT_NE(set_affinity(0, {kCpusMax - 1}), "");
}

}  // namespace
}  // namespace base
