// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/load_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "fastpath/config/tunnel_config.h"
#include "ovpn/lexer.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoadTls : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::unsetenv("CREDENTIALS_DIRECTORY");
    write("ca.crt", "CA\n");
    write("c.crt", "CERT\n");
    write("c.key", "KEY\n");
  }
  void TearDown() override {
    ::unsetenv("CREDENTIALS_DIRECTORY");
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& name, std::string_view text, mode_t mode = 0600) {
    ASSERT_EQ(base::write_file_atomically(folder_ + "/" + name, text, mode), "");
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string files() const {
    return "ca " + path("ca.crt") + "\ncert " + path("c.crt") + "\nkey " + path("c.key") + "\n";
  }

  // What is wrong, after reading a client with these lines.
  std::vector<std::string> load(const std::string& lines, const std::string& credentials = "") {
    const auto lexed = ovpn::lex_config("t", "client\ndev tun\nremote h\n" + lines);
    auto config = config::make_tunnel_config(lexed.profile);
    EXPECT_TRUE(config.ok());
    tls_ = std::move(*config->tls);
    warnings_.clear();
    return texts(engine::load_tls_files(tls_, credentials, warnings_));
  }
  static std::vector<std::string> texts(const base::Problems& problems) {
    std::vector<std::string> lines;
    for (const auto& problem : problems) lines.push_back(to_string(problem));
    return lines;
  }

  std::string folder_ = "/tmp/tct-load-XXXXXX";
  config::TlsConfig tls_;
  base::Problems warnings_;
};

TEST_F(LoadTls, ReadsWhatTheConfigNames) {
  write("ta.key", "TA\n");
  write("pass", "secret\r\nrest\n");
  EXPECT_THAT(load(files() + "tls-auth " + path("ta.key") + " 1\naskpass " + path("pass") + "\n"),
              IsEmpty());
  EXPECT_EQ(tls_.certificate.ca.text, "CA\n");
  EXPECT_EQ(tls_.certificate.cert.text, "CERT\n");
  EXPECT_EQ(tls_.certificate.key.text, "KEY\n");
  EXPECT_EQ(tls_.wrap.key.text, "TA\n");
  EXPECT_EQ(tls_.certificate.passphrase, "secret");
  EXPECT_EQ(tls_.certificate.passphrase_file.text, "");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(LoadTls, WhatStandsInTheConfigIsNotReadAgain) {
  EXPECT_THAT(load("<ca>\nx\n</ca>\n<cert>\ny\n</cert>\n<key>\nz\n</key>\n"), IsEmpty());
  EXPECT_EQ(tls_.certificate.key.text, "z\n");
}

TEST_F(LoadTls, TellsEveryFileThatCannotBeRead) {
  write("empty", "");
  EXPECT_THAT(load("ca /no/ca\ncert " + path("c.crt") + "\nkey " + path("empty") +
                   "\ncrl-verify /no/crls dir\n"),
              ElementsAre(HasSubstr("ca: cannot read /no/ca: No such file or directory"),
                          HasSubstr("key: " + path("empty") + " is empty"),
                          HasSubstr("crl-verify: /no/crls cannot be read")));
}

TEST_F(LoadTls, AKeyThatEverybodyMayReadIsAWarning) {
  write("c.key", "KEY\n", 0644);
  write("ca.crt", "CA\n", 0644);
  EXPECT_THAT(load(files()), IsEmpty());
  EXPECT_THAT(texts(warnings_), ElementsAre(HasSubstr("c.key can be read by everybody")));
}

TEST_F(LoadTls, CredentialsFromTheFileThatTheConfigNames) {
  write("login", "user name\r\npass word\nmore\n");
  EXPECT_THAT(load(files() + "auth-user-pass " + path("login") + "\n", "/not/used"), IsEmpty());
  EXPECT_EQ(tls_.credentials.username, "user name");
  EXPECT_EQ(tls_.credentials.password, "pass word");
  EXPECT_THAT(load(files() + "<auth-user-pass>\nu\np\n</auth-user-pass>\n"), IsEmpty());
  EXPECT_EQ(tls_.credentials.username, "u");
  EXPECT_EQ(tls_.credentials.password, "p");
}

TEST_F(LoadTls, CredentialsFromTheSupervisorOrSystemd) {
  write("handed", "h\n1\n");
  write("auth-user-pass", "s\n2\n");
  EXPECT_THAT(load(files() + "auth-user-pass\n", path("handed")), IsEmpty());
  EXPECT_EQ(tls_.credentials.username, "h");
  ::setenv("CREDENTIALS_DIRECTORY", folder_.c_str(), 1);
  EXPECT_THAT(load(files() + "auth-user-pass\n"), IsEmpty());
  EXPECT_EQ(tls_.credentials.username, "s");
  EXPECT_EQ(tls_.credentials.password, "2");
}

TEST_F(LoadTls, CredentialsThatNobodyGave) {
  EXPECT_THAT(load(files() + "auth-user-pass\n"),
              ElementsAre(HasSubstr("write them into a file of two lines")));
  EXPECT_EQ(tls_.credentials.username, "");
  write("half", "only a name\n");
  EXPECT_THAT(load(files() + "auth-user-pass " + path("half") + "\n"),
              ElementsAre(HasSubstr("has no password on its second line")));
  write("none", "\n\n");
  EXPECT_THAT(load(files() + "auth-user-pass " + path("none") + "\n"),
              ElementsAre(HasSubstr("its first line is empty")));
  write("long", std::string(5000, 'x') + "\ny\n");
  EXPECT_THAT(load(files() + "auth-user-pass " + path("long") + "\n"),
              ElementsAre(HasSubstr("longer than OpenVPN takes")));
  EXPECT_THAT(load(files()), IsEmpty());  // nobody wants them
}

}  // namespace
