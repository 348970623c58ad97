// SPDX-License-Identifier: Apache-2.0
// Two machines joined by fingerprints: what each command prints is what the next one takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "supervisor/pki/make.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::HasSubstr;

const std::string kCert = "/etc/tunctl/keys/a/tls.crt", kKey = "/etc/tunctl/keys/a/tls.key";
const std::string kSite = "/etc/tunctl/sites/a.toml";

// The words of the command that stands behind "next, far end:  tunctl ".
std::vector<std::string> printed_command(const Bench& bench) {
  const std::string mark = "next, far end:  tunctl ";
  const auto at = bench.out.find(mark);
  if (at == std::string::npos) return {};
  std::vector<std::string> words;
  const auto line = bench.out.substr(at + mark.size(), bench.out.find('\n', at) - at - mark.size());
  for (const std::string_view word : base::split_words(line)) words.emplace_back(word);
  return words;
}

std::string fingerprint_of(Bench& bench) {
  EXPECT_EQ(bench.run({"key", "fingerprint", "a"}), kOk) << bench.err;
  return bench.out.substr(2, 95);
}

struct Pair {
  Bench near, far;
  Pair() {
    EXPECT_EQ(near.run({"new", "a", "--far-remote", "192.0.2.1", "--route", "192.168.40.0/24"}),
              kOk)
        << near.err;
    EXPECT_EQ(far.run(printed_command(near)), kOk) << far.err;
    EXPECT_EQ(near.run(printed_command(far)), kOk) << near.err;
  }
};

TEST(Fingerprint, EachCommandPrintsTheNextOne) {
  Pair pair;
  EXPECT_EQ(pair.near.out, "wrote " + kSite + "\nnext: tunctl enable --now a\n");
  for (Bench* bench : {&pair.near, &pair.far}) {
    EXPECT_EQ(bench->run({"check"}), kOk) << bench->err;
    EXPECT_EQ(bench->out, "a: ok, native fast path\n");
    EXPECT_EQ(bench->files.mode(kKey), 0600u);
    EXPECT_EQ(bench->files.mode(kCert), 0644u);
    EXPECT_EQ(bench->files.mode("/etc/tunctl/keys/a"), 0700u);
  }
  EXPECT_EQ(pair.near.run({"render", "a"}), kOk);
  EXPECT_THAT(pair.near.out, HasSubstr("tls-server\ndh none\n"));
  EXPECT_THAT(pair.near.out, HasSubstr("peer-fingerprint " + fingerprint_of(pair.far) + "\n"));
  EXPECT_EQ(pair.far.run({"render", "a"}), kOk);
  for (const std::string& line : {std::string("tls-client\n"), std::string("remote 192.0.2.1\n"),
                                  std::string("ifconfig 10.8.0.2 10.8.0.1\n"),
                                  "peer-fingerprint " + fingerprint_of(pair.near) + "\n"}) {
    EXPECT_EQ(pair.far.run({"render", "a"}), kOk);
    EXPECT_THAT(pair.far.out, HasSubstr(line));
  }
  EXPECT_THAT(pair.far.files.text(kSite), HasSubstr("\n[far-end]\n"));
}

TEST(Fingerprint, NothingPrintedIsASecret) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--far-remote", "gw"}), kOk);
  const std::string key = bench.files.text(kKey).substr(30, 40);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"render", "a", "--far-end", "--stdout"},
        {"render", "a", "--far-end"},
        {"key", "fingerprint", "a"}}) {
    EXPECT_EQ(bench.run(words), kOk) << bench.err;
    EXPECT_EQ(bench.out.find(key), std::string::npos);
    EXPECT_EQ(bench.out.find("PRIVATE"), std::string::npos);
  }
}

TEST(Fingerprint, UntilItIsKnownTheSiteIsNotStarted) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--remote", "192.0.2.7"}), kOk);
  for (const char* verb : {"check", "enable", "start", "render"}) {
    EXPECT_EQ(bench.run({verb, "a"}), kInvalid);
    EXPECT_EQ(bench.err,
              "tunctl: " + kSite +
                  ":22:1: the far end's fingerprint is not known yet; make its key there (`tunctl "
                  "render a --far-end` says how), then here: tunctl key trust a FINGERPRINT\n");
  }
  // It has taken its port and addresses all the same.
  ASSERT_EQ(bench.run({"new", "b", "--remote", "192.0.2.8"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text("/etc/tunctl/sites/b.toml"), HasSubstr("port = 1195"));
  EXPECT_THAT(bench.files.text("/etc/tunctl/sites/b.toml"), HasSubstr("\"10.8.1.1\""));
}

TEST(Fingerprint, OfAStockFarEndIsSaidHow) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--far-remote", "gw"}), kOk);
  ASSERT_EQ(bench.run({"render", "a", "--far-end", "--for", "2.6", "--to", "/tmp/out"}), kOk);
  EXPECT_EQ(bench.out, "/tmp/out/a.conf\n");
  const std::string text = bench.files.text("/tmp/out/a.conf");
  for (const std::string& line :
       {std::string("-keyout a.key -out a.crt\n"),
        std::string("#   tunctl key trust a FINGERPRINT"), std::string("\ncert a.crt\nkey a.key\n"),
        std::string("\ntls-client\n"), "peer-fingerprint " + fingerprint_of(bench) + "\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(bench.run({"render", "a", "--far-end", "--for", "2.5"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("OpenVPN 2.5 does not know peer-fingerprint"));
}

TEST(Fingerprint, NewRefusesWhatDoesNotFit) {
  const struct {
    std::vector<std::string> words;
    const char* complaint;
  } rows[] = {
      {{"--peer-fingerprint", "AA:BB"}, "'AA:BB' is no fingerprint: it has 4 hex digits, not 64"},
      {{"--auth", "SHA512"}, "--auth goes with --mode static-key"},
      {{"--mode", "none", "--role", "server"}, "--role goes with --mode fingerprint"},
      {{"--mode", "static-key", "--peer-fingerprint", "A"}, "--peer-fingerprint goes with --mode"},
      {{"--cipher", "AES-128-CBC"}, "'AES-128-CBC' is not among the ciphers of mode fingerprint"},
  };
  for (const auto& row : rows) {
    Bench bench;
    std::vector<std::string> words{"new", "a", "--remote", "h"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    EXPECT_EQ(bench.run(words), kUsage) << row.complaint;
    EXPECT_THAT(bench.err, HasSubstr(row.complaint));
    EXPECT_EQ(bench.files.changes, 0);
  }
}

TEST(Fingerprint, NewUsesTheKeyThatIsThere) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--remote", "h"}), kOk);
  const std::string key = bench.files.text(kKey), own = fingerprint_of(bench);
  bench.files.entries.erase(kSite);
  EXPECT_EQ(bench.run({"new", "a", "--remote", "h", "--peer-fingerprint", own}), kUsage);
  EXPECT_THAT(bench.err, HasSubstr("--peer-fingerprint is this end's own"));
  EXPECT_EQ(bench.run({"new", "a", "--remote", "h"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kKey), key);
  EXPECT_EQ(fingerprint_of(bench), own);
  bench.files.entries.erase(kSite);
  bench.files.put(kKey, pki::make_key(), 0600);
  EXPECT_EQ(bench.run({"new", "a", "--remote", "h"}), kFailed);
  EXPECT_EQ(bench.err,
            "tunctl: uses the key that is there: " + kKey + "\ntunctl: " + kKey +
                ": this key is not the one of the certificate beside it; put the two that belong "
                "together there\n");
  bench.files.entries.erase(kKey);
  EXPECT_EQ(bench.run({"new", "a", "--remote", "h"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr(kCert + " is there without its key " + kKey));
  EXPECT_FALSE(bench.files.status(kSite));
}

// Whatever a kill leaves, the same command again ends it, with one key and its certificate.
TEST(Fingerprint, NewIsEndedAfterAKill) {
  const std::vector<std::string> words{"new", "a", "--remote", "h"};
  int step = 0;
  for (bool died = true; died; ++step) {
    ASSERT_LT(step, 20);
    Bench bench;
    bench.files.fail_from = step;
    bench.files.dead = true;
    bench.run(words);
    died = bench.files.changes > step;
    bench.files.fail_from.reset();
    bench.files.dead = false;
    EXPECT_EQ(bench.files.status(kSite).has_value(), !died);
    const bool had_key = bench.files.status(kKey).has_value();
    const std::string key = had_key ? bench.files.text(kKey) : "";
    if (died) {
      EXPECT_EQ(bench.run(words), kOk) << step << bench.err;
    }
    if (had_key) {
      EXPECT_EQ(bench.files.text(kKey), key) << step;
    }
    EXPECT_EQ(bench.run({"render", "a", "--far-end", "--remote", "gw"}), kOk) << bench.err;
  }
  EXPECT_GT(step, 4);
}

TEST(Trust, TakesNoSlips) {
  Pair pair;
  const std::string own = fingerprint_of(pair.near), far = fingerprint_of(pair.far);
  const std::string before = pair.near.files.text(kSite);
  const struct {
    std::vector<std::string> words;
    int status;
    std::string complaint;
  } rows[] = {
      {{"a", far.substr(3)}, kUsage, "is no fingerprint: it has 62 hex digits, not 64"},
      {{"a", own}, kFailed, "that is the fingerprint of this end's own certificate; run this on"},
      {{"a", own, "--force"}, kFailed, "that is the fingerprint of this end's own certificate"},
      {{"nope", far}, kNoSuchSite, "no site is called nope"},
      {{"a", "00" + far.substr(2)}, kFailed, "a trusts " + far + "; --force puts the new one"},
      {{"a"}, kUsage, "FINGERPRINT is required"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> words{"key", "trust"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    EXPECT_EQ(pair.near.run(words), row.status) << row.complaint;
    EXPECT_THAT(pair.near.err, HasSubstr(row.complaint));
    EXPECT_EQ(pair.near.files.text(kSite), before);
  }
  EXPECT_EQ(pair.near.run({"key", "trust", "a", base::to_lower(far)}), kOk);
  EXPECT_THAT(pair.near.out, HasSubstr("a trusts it already\n"));
  EXPECT_EQ(pair.near.run({"key", "trust", "a", "00" + far.substr(2), "--force"}), kOk);
  EXPECT_THAT(pair.near.files.text(kSite), HasSubstr("[\"00" + far.substr(2) + "\"]\n"));
}

TEST(Trust, ChangesNothingElseOfTheFile) {
  Pair other;
  const std::string far = fingerprint_of(other.far);
  const std::string head =
      "# mine\nmode = \"fingerprint\" # so\ncert = \"tls.crt\"\nkey = 'tls.key'\n";
  const struct {
    std::string before, after;
  } rows[] = {
      {head + "  peer-fingerprint=[ ]# x ]\nport = 5\n",
       head + "  peer-fingerprint=[\"" + far + "\"]# x ]\nport = 5\n"},
      {head + "peer-fingerprint = []", head + "peer-fingerprint = [\"" + far + "\"]"},
      {"mode = \"fingerprint\"\ncert = \"tls.crt\"\nkey = \"tls.key\"\n[run]\ncpus = \"0\"\n",
       "mode = \"fingerprint\"\npeer-fingerprint = [\"" + far +
           "\"]\ncert = \"tls.crt\"\nkey = \"tls.key\"\n[run]\ncpus = \"0\"\n"},
  };
  for (const auto& row : rows) {
    Pair pair;
    pair.near.files.put(kSite, row.before, 0640);
    EXPECT_EQ(pair.near.run({"key", "trust", "a", far}), kOk) << pair.near.err << row.before;
    EXPECT_EQ(pair.near.files.text(kSite), row.after);
    EXPECT_EQ(pair.near.files.mode(kSite), 0640u);
  }
  Pair pair;
  const std::string spread = head + "peer-fingerprint = [\n]\n";
  pair.near.files.put(kSite, spread, 0640);
  EXPECT_EQ(pair.near.run({"key", "trust", "a", far}), kFailed);
  EXPECT_THAT(pair.near.err, HasSubstr("spells peer-fingerprint in a way this verb does not edit"));
  EXPECT_EQ(pair.near.files.text(kSite), spread);
}

TEST(Trust, NeedsASiteOfThatMode) {
  Pair pair;
  Bench bench;
  ASSERT_EQ(bench.make_site("b"), kOk);
  EXPECT_EQ(bench.run({"key", "trust", "b", fingerprint_of(pair.far)}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("site b is not of mode fingerprint"));
}

TEST(Identity, IsCheckedWithTheSite) {
  const std::string other = [] {
    const auto made = pki::make_certificate("k", pki::make_key(), "other");
    return *made;
  }();
  const struct {
    const std::string& path;
    std::string bytes, complaint;
  } rows[] = {
      {kKey, pki::make_key(), kKey + ": this key is not the one of the certificate beside it"},
      {kKey, "x", kKey + ": there is no private key in it"},
      {kCert, "x", kCert + ": there is no certificate in it"},
      {kCert, other, kKey + ": this key is not the one of the certificate beside it"},
  };
  for (const auto& row : rows) {
    Pair pair;
    pair.near.files.put(row.path, row.bytes, 0600);
    EXPECT_EQ(pair.near.run({"check", "a"}), kInvalid) << row.complaint;
    EXPECT_THAT(pair.near.err, HasSubstr(row.complaint));
  }
  Pair pair;
  const std::string own = fingerprint_of(pair.near), far = fingerprint_of(pair.far);
  std::string text = pair.near.files.text(kSite);
  text.replace(text.find(far), far.size(), own);
  pair.near.files.put(kSite, text, 0644);
  EXPECT_EQ(pair.near.run({"check", "a"}), kInvalid);
  EXPECT_THAT(pair.near.err, HasSubstr("this is the fingerprint of this end's own certificate; "
                                       "write the far end's"));
  EXPECT_EQ(pair.near.run({"key", "trust", "a", far, "--force"}), kOk) << pair.near.err;
  EXPECT_EQ(pair.near.run({"check", "a"}), kOk);
  for (const std::string& path : {kKey, kCert}) {
    Pair missing;
    missing.near.files.entries.erase(path);
    EXPECT_EQ(missing.near.run({"check", "a"}), kInvalid);
    EXPECT_THAT(missing.near.err, HasSubstr("cannot read " + path));
    EXPECT_THAT(missing.near.err, HasSubstr("`tunctl key gen a` makes key and certificate"));
  }
}

TEST(Identity, OutOfItsTimeIsAWarning) {
  Pair pair;
  pair.near.now = 0;
  EXPECT_EQ(pair.near.run({"check", "a"}), kOk);
  EXPECT_THAT(pair.near.err,
              HasSubstr("tunctl: " + kCert +
                        ": warning: certificate CN = a is valid only from 2000-01-01 on, and "
                        "the clock here says 1970-01-01"));
  pair.near.now = 253402300800;
  EXPECT_EQ(pair.near.run({"check", "a"}), kOk);
  EXPECT_THAT(pair.near.err, HasSubstr("certificate CN = a expired on 9999-12-31; `tunctl key gen "
                                       "a --force` makes another"));
}

TEST(Identity, IsMadeAnewByKeyGen) {
  Pair pair;
  const std::string before = fingerprint_of(pair.near);
  EXPECT_EQ(pair.near.run({"key", "gen", "a"}), kFailed);
  EXPECT_EQ(fingerprint_of(pair.near), before);
  EXPECT_EQ(pair.near.run({"key", "gen", "a", "--force"}), kOk) << pair.near.err;
  const auto command = printed_command(pair.near);
  EXPECT_NE(fingerprint_of(pair.near), before);
  EXPECT_EQ(pair.far.run(command), kOk) << pair.far.err;
  EXPECT_THAT(pair.far.files.text(kSite), HasSubstr(fingerprint_of(pair.near)));
  // Without a certificate the key that is there gets one.
  const std::string key = pair.near.files.text(kKey);
  pair.near.files.entries.erase(kCert);
  EXPECT_EQ(pair.near.run({"key", "gen", "a"}), kOk) << pair.near.err;
  EXPECT_EQ(pair.near.files.text(kKey), key);
  EXPECT_EQ(pair.near.run({"check", "a"}), kOk) << pair.near.err;
}

}  // namespace
}  // namespace cli
