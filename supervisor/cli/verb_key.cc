// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"
#include "ovpn/lexer.h"
#include "ovpn/static_key.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

constexpr mode_t kKeyMode = 0600;
constexpr mode_t kKeysFolderMode = 0700;

// The file that the `secret` line of a kept config names.
base::Result<std::string> key_path_of_kept(Context& context, const site::Site& site) {
  const std::string path = render::needed_config(site, context.paths()).front().path;
  const auto bytes = context.files().read(path);
  if (!bytes) return bytes.error();
  const auto config = ovpn::lex_config(path, *bytes).profile;
  const auto* secret = config.last("secret");
  if (secret == nullptr || secret->body || secret->args.empty()) {
    return base::Problem{
        secret == nullptr ? base::Place{path, 0, 0} : secret->place,
        secret == nullptr ? "this config has no static key" : "this config holds its key inside",
        "only a key in a file of its own is made here"};
  }
  for (const auto& need : render::needed_files(site, *bytes, context.paths())) {
    if (need.written == secret->args[0]) return need.path;
  }
  return base::Problem{secret->place, "the key's file is not known", ""};
}

// Where a site's static key is or goes. A name without a site yet gets NAME.key.
base::Result<std::string> key_path(Context& context, const std::string& name) {
  const auto bytes = context.files().read(context.paths().site_file(name));
  if (!bytes) return context.paths().keys_folder(name) + "/" + name + ".key";
  const auto reading = site::read_site(name, context.paths().site_file(name), *bytes);
  if (!reading.site) return reading.problems.front();
  if (!reading.site->described) return key_path_of_kept(context, *reading.site);
  const auto needs = render::needed_files(*reading.site, "", context.paths());
  if (!needs.empty()) return needs.front().path;
  return base::Problem{reading.site->place_of("mode"), "mode none has no key", ""};
}

// The key's text, from its file or out of a kept config.
base::Result<std::string, ReportFailure> key_text(Context& context, const std::string& name) {
  const auto report = examine(context, name);
  if (!report) return report.error();
  const auto* secret = report->near.profile.last("secret");
  if (secret == nullptr) {
    return ReportFailure{kFailed, {{{}, "site " + name + " has no static key", ""}}};
  }
  if (secret->body) return *secret->body;
  const std::string file = site::file_name_of(secret->args.at(0));
  for (const render::Artifact& artifact : report->near.artifacts) {
    if (artifact.path == file) return artifact.bytes;
  }
  return ReportFailure{kFailed, {{secret->place, "the key was not read", ""}}};
}

// In groups of four, so that two people can read it to each other.
std::string fingerprint(const ovpn::StaticKey& key) {
  const auto digest = base::sha256(key.bytes.view());
  const std::string hex = base::to_hex(digest);
  std::string text = "SHA256";
  for (std::size_t at = 0; at < hex.size(); at += 4) text += ":" + hex.substr(at, 4);
  return text;
}

}  // namespace

int run_key_gen(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  if (!site::is_site_name(name)) {
    context.complain("'" + name +
                     "' is no name for a site; a name is 1 to 15 of a-z, 0-9, _ and -");
    return kUsage;
  }
  const auto path = key_path(context, name);
  if (!path) {
    context.complain(path.error());
    return kInvalid;
  }
  if (context.files().status(*path) && !call.has("--force")) {
    context.complain(*path + " is there already; --force makes a new one, and both ends need it");
    return kFailed;
  }
  const bool replaced = context.files().status(*path).has_value();
  plan::Desired desired;
  desired.folders = {{context.paths().all_keys_folder(), kKeysFolderMode},
                     {site::folder_of(*path), kKeysFolderMode}};
  desired.files = {{*path, ovpn::format_static_key(ovpn::generate_static_key()), kKeyMode, true}};
  const int status = carry_out(context, desired);
  if (status != kOk || context.globals().dry_run) return status;
  context.say(*path);
  if (replaced) context.note("the far end needs the same key before " + name + " is up again");
  if (!context.files().status(context.paths().site_file(name))) {
    context.note("there is no site " + name + " yet; `" + context.command("new " + name) +
                 "` makes one with this key");
  }
  return kOk;
}

int run_key_fingerprint(Context& context, const Call& call) {
  int status = kOk;
  for (const std::string& name : call.operands) {
    const auto text = key_text(context, name);
    if (!text) {
      context.complain(text.error().problems);
      status = worse(status, text.error().status);
      continue;
    }
    const auto key = ovpn::parse_static_key(name, *text);
    if (!key) {
      context.complain(key.error());
      status = worse(status, kInvalid);
      continue;
    }
    context.print(name + " " + fingerprint(*key) + "\n");
  }
  return status;
}

}  // namespace cli
