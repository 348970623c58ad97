// SPDX-License-Identifier: Apache-2.0
// `tunctl key migrate`: from a static key to fingerprints, at both ends, and back whenever
// something does not come; what a kill leaves is gone on with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "supervisor/cli/migration.h"
#include "supervisor/cli/site_view.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kUnit = "tunctl@a.service";
constexpr const char* kSite = "/etc/tunctl/sites/a.toml";
constexpr const char* kNote = "/var/lib/tunctl/.migrating/a.json";
constexpr const char* kTrial = "/run/tunctl/.trial/a.toml";
constexpr const char* kConfig = "/etc/tunctl/ovpn/a.conf";
constexpr const char* kFresh = "/etc/tunctl/ovpn/a.fingerprint.conf";
constexpr const char* kSecret = "/etc/tunctl/keys/a/a.key";
constexpr const char* kCert = "/etc/tunctl/keys/a/tls.crt";
constexpr const char* kConnected = "CONNECTED peer 192.0.2.7:1194 since 1764499990 rx 1 tx 1";
constexpr const char* kNotHeard = "ASSIGN_IP since 1764499990 rx 0 tx 0";

struct End : Bench {
  std::string before;  // the site file as it was

  void runs() {
    files.put("/var/lib/tunctl/.keep", "");
    host::UnitStatus& unit = services.units[kUnit];
    unit.unit = kUnit;
    unit.loaded = true;
    unit.active_state = "active";
    unit.sub_state = "running";
    unit.status_text = kConnected;
    services.started_status_text = kConnected;
    before = files.text(kSite);
  }
  int migrate(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"key", "migrate", "a"});
    return run(words);
  }
  // What systemd says when a timer runs out.
  int step(base::UnixSeconds when) {
    now = when;
    return run({"key", "migrate", "--step", "a"});
  }
  int restarts() const {
    int count = 0;
    for (const std::string& call : services.calls) count += call == std::string("restart ") + kUnit;
    return count;
  }
  Migration note() const {
    const auto read = parse_migration(kNote, files.text(kNote));
    return read ? *read : Migration{};
  }
};

// The words of a command that was printed behind that mark.
std::vector<std::string> printed(const Bench& bench, const std::string& mark) {
  const std::string lead = mark + "tunctl ";
  const auto at = bench.out.find(lead);
  if (at == std::string::npos) return {"no", mark, "in", bench.out};
  std::vector<std::string> words;
  const auto begin = at + lead.size();
  for (const std::string_view word : base::split_words(
           std::string_view(bench.out).substr(begin, bench.out.find('\n', at) - begin))) {
    words.emplace_back(word);
  }
  return words;
}

const std::string kFar = "next, far end:  ", kBoth = "next:           ";

// A described end and the config that was rendered for the other one, as the manual makes them.
struct Link {
  End near, far;
  base::UnixSeconds at = 0;

  Link() {
    EXPECT_EQ(near.make_site("a"), kOk) << near.err;
    EXPECT_EQ(near.run({"render", "a", "--far-end", "--stdout"}), kOk) << near.err;
    far.input = near.out;
    EXPECT_EQ(far.run({"import", "-", "--as", "a"}), kOk) << far.err;
    near.runs();
    far.runs();
  }
  void prepare() {
    ASSERT_EQ(near.migrate(), kOk) << near.err;
    ASSERT_EQ(far.run(printed(near, kFar)), kOk) << far.err;
    ASSERT_EQ(near.run(printed(far, kFar)), kOk) << near.err;
  }
  void agree() {
    prepare();
    const auto words = printed(near, kBoth);
    ASSERT_EQ(near.run(words), kOk) << near.err;
    ASSERT_EQ(far.run(words), kOk) << far.err;
    at = near.note().at;
    ASSERT_EQ(at, near.now + 300);
  }
};

std::string rendered(End& end) {
  EXPECT_EQ(end.run({"render", "a"}), kOk) << end.err;
  return end.out;
}

TEST(Migrate, NothingChangesUntilBothArePrepared) {
  Link link;
  link.prepare();
  for (End* end : {&link.near, &link.far}) {
    EXPECT_EQ(end->files.text(kSite), end->before);
    EXPECT_EQ(end->files.text(kTrial), "(absent)");
    EXPECT_EQ(end->restarts(), 0);
    EXPECT_EQ(end->files.mode("/etc/tunctl/keys/a/tls.key"), 0600u);
    EXPECT_EQ(end->files.mode(kNote), 0600u);
    EXPECT_EQ(end->out.find("PRIVATE"), std::string::npos);
    EXPECT_EQ(end->migrate(), kOk) << "again: " << end->err;
  }
  EXPECT_EQ(link.near.note().role, "server");
  EXPECT_EQ(link.far.note().role, "client");
  EXPECT_EQ(link.near.run({"key", "fingerprint", "a"}), kOk);
  EXPECT_THAT(link.near.out, HasSubstr("a SHA256:"));  // of the static key, which still counts
}

TEST(Migrate, BothSwitchAtTheAgreedMoment) {
  Link link;
  link.agree();
  EXPECT_EQ(link.near.services.calls.back(),
            "in 300s, as tunctl-migrate-a: /usr/local/bin/tunctl key migrate --step a");
  for (End* end : {&link.near, &link.far}) {
    ASSERT_EQ(end->step(link.at), kOk) << end->err;
    EXPECT_EQ(end->restarts(), 1);
    EXPECT_EQ(end->files.text(kSite), end->before) << "a boot ends the trial";
    EXPECT_THAT(end->services.calls,
                testing::Contains("in 60s, as tunctl-migrate-a.judge: /usr/local/bin/tunctl key "
                                  "migrate --step a"));
  }
  const std::string near = rendered(link.near), far = rendered(link.far);
  EXPECT_THAT(near, HasSubstr("\ntls-server\ndh none\n"));
  EXPECT_THAT(far, HasSubstr("\ntls-client\n"));
  EXPECT_THAT(near, HasSubstr("peer-fingerprint " + link.near.note().peer_fingerprint + "\n"));
  EXPECT_THAT(far, HasSubstr("peer-fingerprint " + link.far.note().peer_fingerprint + "\n"));
  EXPECT_NE(link.near.note().peer_fingerprint, link.far.note().peer_fingerprint);
  for (const std::string* text : {&near, &far}) {
    EXPECT_EQ(text->find("\nsecret"), std::string::npos);
    EXPECT_EQ(text->find("OpenVPN Static key"), std::string::npos);
    EXPECT_THAT(*text, HasSubstr("keepalive 10 60\n"));
  }
  for (End* end : {&link.near, &link.far}) {
    ASSERT_EQ(end->step(link.at + 60), kOk) << end->err;
    EXPECT_FALSE(end->note().stands);
    EXPECT_EQ(end->services.calls.back(),
              "in 120s, as tunctl-migrate-a.last: /usr/local/bin/tunctl key migrate --step a");
    ASSERT_EQ(end->step(link.at + 180), kOk) << end->err;
    EXPECT_TRUE(end->note().stands);
    EXPECT_EQ(end->files.text(kTrial), "(absent)");
    EXPECT_NE(end->files.text(kSite), end->before);
    EXPECT_EQ(end->restarts(), 1) << "what runs is what stands";
    EXPECT_EQ(end->run({"check", "a"}), kOk) << end->err;
  }
  EXPECT_THAT(rendered(link.near), HasSubstr("\ntls-server\n"));
  EXPECT_THAT(link.far.files.text(kFresh), Not(HasSubstr("BEGIN OpenVPN")));
}

TEST(Migrate, TheSiteFileKeepsAllElse) {
  End end;
  ASSERT_EQ(end.make_site("a"), kOk);
  const std::string text =
      "# mine\nremote = [\"192.0.2.7\"] # there\nport = 2011\nifconfig = [\"10.8.0.1\", "
      "\"10.8.0.2\"]\nsecret = \"a.key\"\nkey-direction = 0  # here\ncipher = 'AES-128-CBC'\n\n"
      "keepalive = [10, 60]\n[run]\ncpus = \"0\" # so\n";
  end.files.put(kSite, text, 0640);
  end.runs();
  ASSERT_EQ(end.migrate({"--peer-fingerprint", std::string(64, 'A')}), kOk) << end.err;
  ASSERT_EQ(end.run(printed(end, kBoth)), kOk) << end.err;
  const base::UnixSeconds at = end.note().at;
  for (const base::UnixSeconds when : {at, at + 60, at + 180}) {
    ASSERT_EQ(end.step(when), kOk) << end.err;
  }
  const std::string fingerprint = end.note().peer_fingerprint;
  EXPECT_EQ(end.files.text(kSite),
            "# mine\nremote = [\"192.0.2.7\"] # there\nport = 2011\nifconfig = [\"10.8.0.1\", "
            "\"10.8.0.2\"]\nmode = \"fingerprint\"\nrole = \"client\"\ncert = \"tls.crt\"\nkey = "
            "\"tls.key\"\npeer-fingerprint = [\"" +
                fingerprint + "\"]\n\nkeepalive = [10, 60]\n[run]\ncpus = \"0\" # so\n");
  EXPECT_EQ(end.files.mode(kSite), 0640u);
  ASSERT_EQ(end.migrate({"--undo"}), kOk) << end.err;
  EXPECT_EQ(end.files.text(kSite), text);
  EXPECT_EQ(end.files.text(kNote), "(absent)");
  EXPECT_EQ(end.files.text(kCert), "(absent)");
  EXPECT_THAT(end.out, HasSubstr("next, far end:  tunctl key migrate a --undo\n"));
  EXPECT_EQ(end.run({"check", "a"}), kOk) << end.err;
}

TEST(Migrate, GoesBackWhereTheFarEndIsNotHeard) {
  for (const bool at_first : {true, false}) {
    Link link;
    link.agree();
    for (End* end : {&link.near, &link.far}) {
      if (at_first) end->services.started_status_text = kNotHeard;
      ASSERT_EQ(end->step(link.at), kOk) << end->err;
      if (!at_first) {
        ASSERT_EQ(end->step(link.at + 60), kOk) << end->err;
        end->services.units[kUnit].status_text = kNotHeard;
      }
      end->services.started_status_text = kConnected;
      ASSERT_EQ(end->step(link.at + (at_first ? 60 : 180)), kOk) << end->err;
      EXPECT_THAT(end->err, HasSubstr("a: goes back to its static key: not up 60 seconds later"));
      EXPECT_EQ(end->files.text(kSite), end->before);
      EXPECT_EQ(end->files.text(kTrial), "(absent)");
      EXPECT_EQ(end->restarts(), 2);
      EXPECT_EQ(end->note().at, 0);
      EXPECT_EQ(end->step(link.at + 400), kOk) << "a timer that comes late";
      EXPECT_EQ(end->restarts(), 2);
      // All is prepared still: another moment is all that it takes.
      ASSERT_EQ(end->migrate(), kOk) << end->err;
      EXPECT_THAT(end->err, HasSubstr("the last trial ended: not up 60 seconds later"));
      EXPECT_EQ(end->run(printed(*end, kBoth)), kOk) << end->err;
    }
  }
}

TEST(Migrate, ABootEndsTheTrial) {
  Link link;
  link.agree();
  End& end = link.near;
  ASSERT_EQ(end.step(link.at), kOk);
  end.files.entries.erase(kTrial);
  EXPECT_THAT(rendered(end), HasSubstr("<secret>"));
  ASSERT_EQ(end.migrate(), kOk) << end.err;
  EXPECT_THAT(end.err, HasSubstr("goes back to its static key: it was cut short"));
  EXPECT_EQ(end.files.text(kSite), end.before);
  EXPECT_EQ(end.note().trial_since, 0);
}

TEST(Migrate, AKillBeforeTheRestartIsMended) {
  Link link;
  link.agree();
  End& end = link.near;
  ASSERT_EQ(end.step(link.at), kOk);
  end.services.units[kUnit].active_since = link.at - 100;  // it still runs as before
  ASSERT_EQ(end.step(link.at + 2), kOk) << end.err;
  EXPECT_EQ(end.restarts(), 2);
  end.services.units[kUnit].active_since = link.at + 2;
  ASSERT_EQ(end.step(link.at + 10), kOk);
  EXPECT_EQ(end.restarts(), 2);
  EXPECT_FALSE(end.note().heard) << "too early to judge";
  EXPECT_THAT(end.services.calls.back(), HasSubstr("as tunctl-migrate-a.judge:"));
}

// Whatever a kill leaves at whichever step: the site file is the old or the new one, whole, and the
// same steps again come to the end.
TEST(Migrate, EveryKillIsGoneOnWith) {
  for (int stage = 0; stage < 3; ++stage) {
    int kill = 0;
    for (bool died = true; died; ++kill) {
      ASSERT_LT(kill, 30);
      Link link;
      link.agree();
      End& end = kill % 2 == 0 ? link.near : link.far;
      const base::UnixSeconds times[] = {link.at, link.at + 60, link.at + 180};
      for (int done = 0; done < stage; ++done) ASSERT_EQ(end.step(times[done]), kOk);
      end.files.changes = 0;
      end.files.fail_from = kill / 2;
      end.files.dead = true;
      end.step(times[stage]);
      died = end.files.changes > kill / 2;
      end.files.fail_from.reset();
      end.files.dead = false;
      if (end.files.text(kSite) != end.before) {
        EXPECT_THAT(end.files.text(kSite), AnyOf(HasSubstr("\npeer-fingerprint = [\""),
                                                 HasSubstr("a.fingerprint.conf\"")));
      }
      EXPECT_EQ(end.run({"check", "a"}), kOk) << stage << " " << kill << end.err;
      for (int again = stage; again < 3; ++again) {
        EXPECT_EQ(end.step(times[again]), kOk) << stage << " " << kill << end.err;
      }
      // A step that died half way may have judged late, so there may be one more to come.
      EXPECT_EQ(end.step(link.at + 600), kOk) << end.err;
      EXPECT_EQ(end.step(link.at + 900), kOk) << end.err;
      EXPECT_TRUE(end.note().stands) << stage << " " << kill;
      EXPECT_EQ(end.files.text(kTrial), "(absent)");
      ASSERT_EQ(end.migrate({"--undo"}), kOk) << end.err;
      EXPECT_EQ(end.files.text(kSite), end.before) << stage << " " << kill;
    }
    EXPECT_GT(kill, 2);
  }
}

TEST(Migrate, PreparingIsGoneOnWithAndUndone) {
  int kill = 0;
  for (bool died = true; died; ++kill) {
    ASSERT_LT(kill, 20);
    Link link;
    End& end = link.near;
    end.files.changes = 0;
    end.files.fail_from = kill;
    end.files.dead = true;
    end.migrate();
    died = end.files.changes > kill;
    end.files.fail_from.reset();
    end.files.dead = false;
    EXPECT_EQ(end.files.text(kSite), end.before);
    ASSERT_EQ(end.migrate(), kOk) << end.err;
    ASSERT_EQ(end.migrate({"--undo"}), kOk) << end.err;
    for (const char* path : {kNote, kCert, "/etc/tunctl/keys/a/tls.key"}) {
      EXPECT_EQ(end.files.text(path), "(absent)") << kill;
    }
    EXPECT_NE(end.files.text(kSecret), "(absent)");
    EXPECT_EQ(end.run({"check", "a"}), kOk) << end.err;
  }
  EXPECT_GT(kill, 3);
}

TEST(Migrate, FinishDeletesTheStaticKey) {
  Link link;
  link.agree();
  for (End* end : {&link.near, &link.far}) {
    EXPECT_EQ(end->migrate({"--finish"}), kFailed);
    EXPECT_THAT(end->err, HasSubstr("does not go by fingerprints yet"));
    for (const base::UnixSeconds when : {link.at, link.at + 60, link.at + 180}) {
      ASSERT_EQ(end->step(when), kOk) << end->err;
    }
    ASSERT_EQ(end->migrate(), kOk);
    EXPECT_THAT(end->out, HasSubstr("tunctl key migrate a --finish"));
    ASSERT_EQ(end->migrate({"--finish"}), kOk) << end->err;
    EXPECT_EQ(end->files.text(kSecret), "(absent)");
    EXPECT_EQ(end->files.text(kConfig), "(absent)");
    EXPECT_EQ(end->files.text(kNote), "(absent)");
    EXPECT_EQ(end->run({"check", "a"}), kOk) << end->err;
    EXPECT_EQ(end->run({"remove", "a"}), kOk) << end->err;
    EXPECT_EQ(end->files.text(kFresh), "(absent)");
  }
}

TEST(Migrate, RefusesWhatWouldLoseTheLink) {
  const std::string other(64, 'A');
  const struct {
    std::vector<std::string> words;
    int status;
    std::string complaint;
  } rows[] = {
      {{"--at", "2025-11-30T11:00:00Z"}, kFailed, "the far end's fingerprint is not known yet"},
      {{"--at", "tomorrow"}, kUsage, "--at takes a time in UTC like 20"},
      {{"--at", "2020-01-01T00:00:00Z"}, kFailed, "is not within the next 24 hours"},
      {{"--peer-fingerprint", "AA"}, kUsage, "'AA' is no fingerprint"},
      {{"--wait", "1"}, kUsage, "--wait takes a number of seconds from 5 to 3600"},
      {{"--undo"}, kFailed, "a is not on its way from a static key"},
      {{"--finish"}, kFailed, "a is not on its way from a static key"},
      {{"--undo", "--finish"}, kUsage, "--at, --undo, --finish and --step exclude each other"},
  };
  for (const auto& row : rows) {
    Link link;
    link.near.now = 1764500000;
    EXPECT_EQ(link.near.migrate(row.words), row.status) << row.complaint;
    EXPECT_THAT(link.near.err, HasSubstr(row.complaint));
    EXPECT_EQ(link.near.files.text(kNote), "(absent)");
    EXPECT_EQ(link.near.files.text(kCert), "(absent)");
  }
  Link link;
  link.prepare();
  link.near.services.units[kUnit].active_state = "inactive";
  EXPECT_EQ(link.near.run(printed(link.near, kBoth)), kFailed);
  EXPECT_THAT(link.near.err, HasSubstr("a does not run; start it"));
  Bench none;
  ASSERT_EQ(none.run({"new", "a", "--remote", "h"}), kOk);
  EXPECT_EQ(none.run({"key", "trust", "a", other}), kOk);
  EXPECT_EQ(none.run({"key", "migrate", "a"}), kFailed);
  EXPECT_THAT(none.err, HasSubstr("site a has no static key to come from"));
  Bench waits;
  ASSERT_EQ(waits.run({"new", "a", "--mode", "static-key", "--far-remote", "h"}), kOk);
  EXPECT_EQ(waits.run({"key", "migrate", "a", "--role", "client"}), kFailed);
  EXPECT_THAT(waits.err, HasSubstr("this end has no remote, so it cannot be the client of TLS"));
}

TEST(Migrate, TellsHowFarItIs) {
  Link link;
  link.agree();
  End& end = link.near;
  const std::string note = end.files.text(kNote);
  EXPECT_EQ(end.migrate(), kOk);
  EXPECT_THAT(end.out, HasSubstr("a: switches to fingerprints at 20"));
  EXPECT_EQ(end.files.text(kNote), note) << "to ask calls nothing off";
  ASSERT_EQ(end.step(link.at), kOk);
  EXPECT_EQ(end.migrate(), kOk);
  EXPECT_THAT(end.out, HasSubstr("a: on trial with fingerprints, judged at 20"));
  EXPECT_EQ(end.migrate({"--wait", "9"}), kFailed);
  EXPECT_THAT(end.err, HasSubstr("a is on trial; wait until that is over, or --undo"));
  EXPECT_EQ(end.run({"key", "trust", "a", std::string(64, 'B')}), kFailed);
}

TEST(Migrate, AStepThatComesLateDoesNothing) {
  Link link;
  link.agree();
  EXPECT_EQ(link.near.step(link.at + 61), kOk);
  EXPECT_EQ(link.near.restarts(), 0);
  EXPECT_EQ(link.near.note().outcome, "its moment has passed");
}

// An end that is stopped at the moment is left as it is.
TEST(Migrate, ALinkThatDoesNotRunIsNotSwitched) {
  Link link;
  link.agree();
  link.near.services.units[kUnit].active_state = "inactive";
  EXPECT_EQ(link.near.step(link.at), kOk);
  EXPECT_EQ(link.near.restarts(), 0);
  EXPECT_EQ(link.near.files.text(kSite), link.near.before);
  EXPECT_EQ(link.near.note().outcome, "its unit did not run");
}

TEST(MigrationNote, IsReadBack) {
  Migration note;
  note.site = "a";
  note.role = "server";
  note.peer_fingerprint = "AA";
  note.wait_seconds = 7;
  note.silence_seconds = 8;
  note.at = 1;
  note.trial_since = 2;
  note.due = 3;
  note.heard = note.stands = true;
  note.outcome = "why";
  note.old_text = "text \"x\"\n";
  note.made = {"b"};
  note.secrets = {"c", "d"};
  const auto read = parse_migration("f", format_migration(note));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, note);
  for (const char* text : {"", "[]", "{}", "{\"schema\": \"tunctl.migration/2\"}"}) {
    EXPECT_FALSE(parse_migration("f", text)) << text;
  }
}

}  // namespace
}  // namespace cli
