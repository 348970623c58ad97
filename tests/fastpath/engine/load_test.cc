// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "tests/support/peer_parts.h"

namespace {

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    std::string pattern = "/tmp/tct-load-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~LoadTest() override {
    ::unlink((folder_ + "/t.conf").c_str());
    ::unlink((folder_ + "/t.key").c_str());
    ::rmdir(folder_.c_str());
  }
  base::Result<engine::Loaded, base::Problems> load(const std::string& config) {
    EXPECT_EQ(base::write_file_atomically(folder_ + "/t.conf", config, 0600), "");
    return engine::load({"--config", "t.conf"}, folder_);
  }
  std::string folder_;
  const std::string key_text_ = ovpn::format_static_key(support::counting_key());
};

bool is_the_key(const std::optional<ovpn::StaticKey>& key) {
  return key && std::ranges::equal(key->bytes.view(), support::counting_key().bytes.view());
}

// The config lives as long as the tunnel and is copied into each peer; a key in it would too.
TEST_F(LoadTest, AnInlineKeyIsReadAndItsTextIsGone) {
  auto loaded = load("dev null\ncipher AES-256-CBC\n<secret>\n" + key_text_ + "</secret>\n");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(is_the_key(loaded->key));
  EXPECT_TRUE(loaded->config.crypto.secret_inline);
  EXPECT_EQ(loaded->config.crypto.secret_text, "");
}

TEST_F(LoadTest, AKeyFileCanBeReadAgain) {
  const std::string file = folder_ + "/t.key";
  ASSERT_EQ(base::write_file_atomically(file, key_text_, 0600), "");
  auto loaded = load("dev null\ncipher AES-256-CBC\nsecret " + file + "\n");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(is_the_key(loaded->key));
  EXPECT_FALSE(loaded->config.crypto.secret_inline);
  base::Problems warnings;
  auto again = engine::load_key(loaded->config.crypto, warnings);
  ASSERT_TRUE(again);
  EXPECT_TRUE(is_the_key(*again));
}

}  // namespace
