// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/line_pipe.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace host {
namespace {

using ::testing::ElementsAre;

struct Heard : std::vector<std::string> {
  auto taker() {
    return [this](std::string_view line) { emplace_back(line); };
  }
};

void print(const LinePipe& pipe, std::string_view text) {
  ASSERT_EQ(::write(pipe.writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(LinePipe, HandsOnWholeLinesAndAtTheEndTheRest) {
  LinePipe pipe;
  Heard heard;
  pipe.drain(heard.taker());
  EXPECT_TRUE(heard.empty());
  print(pipe, "one\ntw");
  pipe.drain(heard.taker());
  EXPECT_THAT(heard, ElementsAre("one"));
  print(pipe, "o\n\nthree");
  pipe.drain(heard.taker());
  EXPECT_THAT(heard, ElementsAre("one", "two", ""));
  pipe.finish(heard.taker());
  EXPECT_THAT(heard, ElementsAre("one", "two", "", "three"));
}

TEST(LinePipe, ALineWithoutEndCostsNoMemory) {
  LinePipe pipe;
  Heard heard;
  for (int round = 0; round < 100; ++round) {
    print(pipe, std::string(1000, 'x'));
    pipe.drain(heard.taker());
  }
  EXPECT_GE(heard.size(), 10u);
}

}  // namespace
}  // namespace host
