// SPDX-License-Identifier: Apache-2.0
// `tunctl key trust`: the one line of a site file that the other machine has to tell.
#include <optional>

#include "supervisor/cli/site_text_edit.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/site/fingerprint.h"

namespace cli {
namespace {

// The text with `fingerprint` as the one that is trusted; all else stays as its author wrote it.
std::optional<std::string> with_fingerprint(const std::string& text, const site::Site& site,
                                            const std::string& fingerprint) {
  const std::string value = "[\"" + fingerprint + "\"]";
  const bool written = site.places.contains("peer-fingerprint");
  const std::size_t wanted = site.place_of(written ? "peer-fingerprint" : "mode").line;
  if (!written) return with_line_behind(text, wanted, "peer-fingerprint = " + value);
  return with_value(text, wanted, value);
}

class Truster {
 public:
  Truster(Context& context, const Call& call)
      : context_(context),
        name_(call.operands.at(0)),
        typed_(call.operands.at(1)),
        force_(call.has("--force")) {}

  int run() {
    const auto fingerprint = site::read_fingerprint(typed_);
    if (!fingerprint) {
      context_.complain(fingerprint.error());
      return kUsage;
    }
    const auto held = context_.hold();
    if (!held) return kFailed;
    // An own fingerprint in the site is a problem of it; this verb is what mends that.
    const auto loaded = load(context_, name_);
    if (!loaded && !(force_ && loaded.error().status == kInvalid)) {
      context_.complain(loaded.error().problems);
      return loaded.error().status;
    }
    if (loaded && loaded->own_fingerprint == *fingerprint) {
      return refuse(
          "that is the fingerprint of this end's own certificate; run this on the other "
          "machine");
    }
    return edit(*fingerprint);
  }

 private:
  int refuse(const std::string& why) {
    context_.complain(why);
    return kFailed;
  }

  int edit(const std::string& fingerprint) {
    const std::string path = context_.paths().site_file(name_);
    if (context_.files().status(context_.paths().trial_site(name_))) {
      return refuse(name_ + " is on its way from a static key; `" +
                    context_.command("key migrate " + name_) + "` says how far");
    }
    const auto text = context_.files().read(path);
    if (!text) return fail(context_, text.error());
    const auto reading = site::read_site(name_, path, *text);
    if (!reading.site) {
      context_.complain(reading.problems);
      return kInvalid;
    }
    const auto& tunnel = reading.site->described;
    if (!tunnel || tunnel->mode != site::Mode::kFingerprint) {
      return refuse("site " + name_ + " is not of mode fingerprint; there is nothing to trust");
    }
    if (already(*tunnel, fingerprint)) {
      context_.say(name_ + " trusts it already");
      return tell();
    }
    if (!tunnel->peer_fingerprint.empty() && !force_) {
      return refuse(name_ + " trusts " + tunnel->peer_fingerprint.front() +
                    "; --force puts the new one in its place");
    }
    return write(path, with_fingerprint(*text, *reading.site, fingerprint), fingerprint);
  }

  static bool already(const site::Described& tunnel, const std::string& fingerprint) {
    if (tunnel.peer_fingerprint.size() != 1) return false;
    const auto there = site::read_fingerprint(tunnel.peer_fingerprint.front());
    return there && *there == fingerprint;
  }

  // What was edited is read again: an unusual spelling must not become another site.
  int write(const std::string& path, const std::optional<std::string>& text,
            const std::string& fingerprint) {
    const auto reading = text ? site::read_site(name_, path, *text) : site::SiteReading{};
    if (!reading.site || !already(*reading.site->described, fingerprint)) {
      return refuse(path + " spells peer-fingerprint in a way this verb does not edit; write " +
                    "peer-fingerprint = [\"" + fingerprint + "\"] there");
    }
    const auto status = context_.files().status(path);
    plan::Desired desired;
    desired.files.push_back({path, *text, status ? status->mode : mode_t{0644}, false});
    if (const int done = carry_out(context_, desired); done != kOk) return done;
    if (context_.globals().dry_run) return kOk;
    context_.say("wrote " + path);
    return tell();
  }

  int tell() {
    context_.say("next: " + context_.command_to_begin(name_));
    return kOk;
  }

  Context& context_;
  const std::string name_, typed_;
  const bool force_;
};

}  // namespace

int run_key_trust(Context& context, const Call& call) { return Truster(context, call).run(); }

}  // namespace cli
