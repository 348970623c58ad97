// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"
#include "ovpn/lexer.h"
#include "ovpn/static_key.h"
#include "supervisor/cli/tls_identity.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/pki/certificate.h"

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
base::Result<std::string> key_path(Context& context, const std::string& name,
                                   const std::optional<site::Site>& site) {
  if (!site) return context.paths().keys_folder(name) + "/" + name + ".key";
  if (!site->described) return key_path_of_kept(context, *site);
  if (site::is_client(*site->described)) {
    return base::Problem{site->place_of("type"),
                         "a client's keys come from whoever runs its server",
                         "put them into " + context.paths().keys_folder(name)};
  }
  if (site->described->mode == site::Mode::kPki) {
    return base::Problem{site->place_of("mode"), "the authority of mode pki makes its keys",
                         "`tunctl render " + name + " --far-end` shows how one is asked for"};
  }
  const auto needs = render::needed_files(*site, "", context.paths());
  if (!needs.empty()) return needs.front().path;
  return base::Problem{site->place_of("mode"), "mode none has no key", ""};
}

// Nothing: there is no such site yet.
base::Result<std::optional<site::Site>> site_of(Context& context, const std::string& name) {
  const std::string path = context.paths().site_file(name);
  if (!context.files().status(path)) return std::optional<site::Site>();
  const auto bytes = context.files().read(path);
  if (!bytes) return bytes.error();
  auto reading = site::read_site(name, path, *bytes);
  if (!reading.site) return reading.problems.front();
  return std::move(reading.site);
}

bool by_fingerprint(const std::optional<site::Site>& site) {
  return site && site->described && site->described->mode == site::Mode::kFingerprint;
}

int refuse_to_replace(Context& context, const std::string& path) {
  context.complain(path + " is there already; --force makes a new one, and both ends need it");
  return kFailed;
}

// Key and certificate of mode fingerprint, and what the far end has to do about it.
int make_identity(Context& context, const site::Site& site, bool force) {
  IdentityWish wish{site.name, "", "", force};
  for (const auto& need : render::needed_files(site, "", context.paths())) {
    if (need.written == site.described->key) wish.key_path = need.path;
    if (need.written == site.described->cert) wish.cert_path = need.path;
  }
  if (wish.key_path.empty() || wish.cert_path.empty()) {
    context.complain(base::Problem{site.place_of("mode"), "the site names no cert or no key",
                                   "write cert = \"tls.crt\" and key = \"tls.key\""});
    return kInvalid;
  }
  const bool whole =
      context.files().status(wish.key_path) && context.files().status(wish.cert_path);
  if (whole && !force) return refuse_to_replace(context, wish.key_path);
  auto identity = tls_identity(context, wish);
  if (!identity) return fail(context, identity.error());
  plan::Desired desired;
  desired.folders = {{context.paths().all_keys_folder(), kKeysFolderMode},
                     {site::folder_of(wish.key_path), kKeysFolderMode}};
  desired.files = std::move(identity->files);
  const int status = carry_out(context, desired);
  if (status != kOk || context.globals().dry_run) return status;
  context.say(wish.key_path);
  if (site::is_client(*site.described)) {
    context.say("next, server:   peer-fingerprint " + identity->fingerprint);
    return kOk;
  }
  context.say("next, far end:  tunctl key trust " + site.name + " " + identity->fingerprint +
              (whole ? " --force" : ""));
  return kOk;
}

// The text of a file that a line of the config names or holds; nothing where there is no such line.
std::optional<std::string> text_behind(const SiteReport& report, std::string_view directive) {
  const auto* line = report.near.profile.last(directive);
  if (line == nullptr) return std::nullopt;
  if (line->body) return *line->body;
  const std::string file = line->args.empty() ? "" : site::file_name_of(line->args[0]);
  for (const render::Artifact& artifact : report.near.artifacts) {
    if (artifact.path == file) return artifact.bytes;
  }
  return std::nullopt;
}

// In groups of four, so that two people can read it to each other.
std::string fingerprint(const ovpn::StaticKey& key) {
  const auto digest = base::sha256(key.bytes.view());
  const std::string hex = base::to_hex(digest);
  std::string text = "SHA256";
  for (std::size_t at = 0; at < hex.size(); at += 4) text += ":" + hex.substr(at, 4);
  return text;
}

// Of the certificate, where a site has one (it need not be able to run yet), else of the static
// key.
base::Result<std::string, ReportFailure> fingerprint_of(Context& context, const std::string& name) {
  const auto loaded = load(context, name);
  if (!loaded) return loaded.error();
  if (!loaded->own_fingerprint.empty()) return loaded->own_fingerprint;
  const auto report = examine(context, name);
  if (!report) return report.error();
  if (const auto cert = text_behind(*report, "cert")) {
    const auto certificate = pki::read_certificate(name, *cert);
    if (!certificate) return ReportFailure{kInvalid, {certificate.error()}};
    return certificate->fingerprint;
  }
  const auto secret = text_behind(*report, "secret");
  if (!secret) {
    return ReportFailure{kFailed, {{{}, "site " + name + " has neither key nor certificate", ""}}};
  }
  const auto key = ovpn::parse_static_key(name, *secret);
  if (!key) return ReportFailure{kInvalid, {key.error()}};
  return fingerprint(*key);
}

}  // namespace

int run_key_gen(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  if (!site::is_site_name(name)) {
    context.complain(site::no_site_name(name));
    return kUsage;
  }
  const auto held = context.hold();
  if (!held) return kFailed;
  const auto site = site_of(context, name);
  if (!site) {
    return fail(context, site.error()) == kNotPermitted ? kNotPermitted : kInvalid;
  }
  if (by_fingerprint(*site)) return make_identity(context, **site, call.has("--force"));
  const auto path = key_path(context, name, *site);
  if (!path) {
    context.complain(path.error());
    return kInvalid;
  }
  const bool replaced = context.files().status(*path).has_value();
  if (replaced && !call.has("--force")) return refuse_to_replace(context, *path);
  plan::Desired desired;
  desired.folders = {{context.paths().all_keys_folder(), kKeysFolderMode},
                     {site::folder_of(*path), kKeysFolderMode}};
  desired.files = {{*path, ovpn::format_static_key(ovpn::generate_static_key()), kKeyMode, true}};
  const int status = carry_out(context, desired);
  if (status != kOk || context.globals().dry_run) return status;
  context.say(*path);
  if (replaced) context.note("the far end needs the same key before " + name + " is up again");
  if (!*site) {
    context.note("there is no site " + name + " yet; `" + context.command("new " + name) +
                 " --mode static-key` makes one with this key");
  }
  return kOk;
}

int run_key_fingerprint(Context& context, const Call& call) {
  int status = kOk;
  for (const std::string& name : call.operands) {
    const auto text = fingerprint_of(context, name);
    if (text) {
      context.print(name + " " + *text + "\n");
      continue;
    }
    context.complain(text.error().problems);
    status = worse(status, text.error().status);
  }
  return status;
}

}  // namespace cli
