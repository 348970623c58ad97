// SPDX-License-Identifier: Apache-2.0
#include "ovpn/login_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovpn {
namespace {

using testing::ElementsAre;

TEST(LoginText, LinesEndAsOnAnySystem) {
  EXPECT_THAT(first_lines("joe\r\npass word\r\nmore\r\n", 2), ElementsAre("joe", "pass word"));
  EXPECT_THAT(first_lines("joe\npw", 2), ElementsAre("joe", "pw"));
  EXPECT_THAT(first_lines("joe", 2), ElementsAre("joe"));
  EXPECT_THAT(first_lines("joe\n", 2), ElementsAre("joe", ""));
}

TEST(LoginText, WhatIsWrongIsNamed) {
  const struct {
    std::string text;
    LoginKind kind;
    const char* error;
  } rows[] = {
      {"joe\npw\n", LoginKind::kServer, ""},
      {"joe\npw", LoginKind::kServer, ""},
      {"\xc3\xa4\n pw with blanks \n", LoginKind::kServer, ""},
      {"joe\n", LoginKind::kServer, "there is no password on line 2"},
      {"", LoginKind::kServer, "there is no user name on line 1"},
      {"\npw\n", LoginKind::kServer, "there is no user name on line 1"},
      {"joe\n" + std::string(4095, 'x'), LoginKind::kServer, ""},
      {"joe\n" + std::string(4096, 'x'), LoginKind::kServer,
       "the password is longer than OpenVPN takes"},
      {std::string("j\0e\npw\n", 7), LoginKind::kServer, "the user name is no text"},
      {"joe", LoginKind::kServerUser, ""},
      {"joe\n", LoginKind::kProxy, ""},
      {"\n", LoginKind::kPassphrase, "there is no passphrase on line 1"},
      {"open sesame", LoginKind::kPassphrase, ""},
  };
  for (const auto& row : rows) EXPECT_EQ(login_error(row.text, row.kind), row.error) << row.text;
}

}  // namespace
}  // namespace ovpn
