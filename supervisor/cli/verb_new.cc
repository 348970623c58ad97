// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <tuple>
#include "ovpn/static_key.h"
#include "supervisor/cli/new_site.h"
#include "supervisor/cli/tls_identity.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/render/far_end_steps.h"
#include "supervisor/render/render.h"
#include "supervisor/site/address_words.h"
#include "supervisor/site/cross_check.h"
#include "supervisor/site/fingerprint.h"
#include "supervisor/site/site_check.h"

namespace cli {
namespace {

constexpr mode_t kKeyMode = 0600;
constexpr mode_t kKeysFolderMode = 0700;
constexpr mode_t kSiteMode = 0644;
constexpr mode_t kFolderMode = 0755;

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " and " : ", ";
    text += words[at];
  }
  return text;
}

class Maker {
 public:
  Maker(Context& context, const Call& call) : context_(context), call_(call) {}

  int run() {
    const std::string& name = call_.operands.at(0);
    if (!site::is_site_name(name)) {
      context_.complain(site::no_site_name(name));
      return kUsage;
    }
    const auto held = context_.hold();
    if (!held) return kFailed;
    site_file_ = context_.paths().site_file(name);
    if (context_.files().status(site_file_)) {
      context_.complain(site_file_ + " is there already; edit it, or `tunctl remove " + name +
                        "` first");
      return kFailed;
    }
    wish_.name = name;
    if (const int status = read_options(); status != kOk) return status;
    if (const int status = check(); status != kOk) return status;
    warn_of_others();
    if (site_.acknowledge_cleartext) {
      context_.warn({{{},
                      "anyone can send into this tunnel, in clear text, and the first one is taken "
                      "for its peer",
                      "acknowledge-cleartext = true in the site file says that this is meant; "
                      "--remote names the peer"}});
    }
    plan::Desired wish;
    if (const int status = gather(wish); status != kOk) return status;
    const int status = carry_out(context_, wish);
    if (status == kOk && !context_.globals().dry_run) tell();
    return status;
  }

 private:
  bool is_client() const { return wish_.type == site::Type::kClient; }

  int read_options() {
    const auto others = others_in_the_way(context_, wish_.name);
    if (call_.value("--type") == "client") wish_.type = site::Type::kClient;
    wish_.mode = call_.value("--mode").value_or(
        is_client() && !call_.has("--peer-fingerprint") ? "pki" : "fingerprint");
    wish_.remote = call_.values("--remote");
    wish_.auth_user_pass = call_.has("--auth-user-pass");
    wish_.far_remote = call_.value("--far-remote").value_or("");
    wish_.cpus = call_.value("--cpus").value_or("");
    wish_.engine = call_.value("--engine").value_or("");
    wish_.dev = call_.value("--dev").value_or("");
    wish_.cipher = call_.value("--cipher").value_or("");
    wish_.auth = call_.value("--auth").value_or("");
    wish_.route = call_.values("--route");
    wish_.far_route = call_.values("--far-route");
    if (const int status = is_client() ? read_client() : read_identity(); status != kOk) {
      return status;
    }
    wish_.port = is_client() ? 0 : free_port(others);
    if (const auto text = call_.value("--port")) {
      const auto port = base::parse_number<int>(*text);
      if (!port || *port < 1 || *port > 65535) {
        context_.complain("--port takes a number from 1 to 65535");
        return kUsage;
      }
      wish_.port = *port;
    }
    if (is_client()) return kOk;
    const auto addresses = call_.values("--ifconfig");
    if (addresses.size() == 2) {
      wish_.here = addresses[0];
      wish_.there = addresses[1];
      return kOk;
    }
    const auto pair = free_pair(others);
    if (!pair) {
      context_.complain("no pair 10.8.N.1, 10.8.N.2 is free; name two with --ifconfig HERE THERE");
      return kFailed;
    }
    std::tie(wish_.here, wish_.there) = *pair;
    return kOk;
  }

  bool by_fingerprint() const { return wish_.mode == "fingerprint"; }
  bool by_authority() const { return wish_.mode == "pki"; }

  // What the server says is not asked for.
  int read_client() {
    for (const char* option : {"--far-remote", "--far-route", "--ifconfig", "--role"}) {
      if (call_.has(option)) return usage(std::string(option) + " goes with --type p2p");
    }
    if (!by_fingerprint() && !by_authority()) {
      return usage("a client speaks TLS: --mode pki or fingerprint");
    }
    if (wish_.remote.empty()) return usage("--type client needs --remote HOST, the server's");
    return read_peer_fingerprint();
  }

  int read_identity() {
    if (wish_.auth_user_pass) return usage("--auth-user-pass goes with --type client");
    const bool tls = by_fingerprint() || by_authority();
    if (!tls && call_.has("--role")) return usage("--role goes with --mode fingerprint or pki");
    if (tls && !wish_.auth.empty()) {
      return usage("--auth goes with --mode static-key: TLS has ciphers that need no digest");
    }
    const bool calls_alone = !wish_.remote.empty() && wish_.far_remote.empty();
    wish_.role = call_.value("--role").value_or(calls_alone ? "client" : "server");
    return read_peer_fingerprint();
  }

  int read_peer_fingerprint() {
    if (!by_fingerprint() && call_.has("--peer-fingerprint")) {
      return usage("--peer-fingerprint goes with --mode fingerprint");
    }
    const auto text = call_.value("--peer-fingerprint");
    if (!text) return kOk;
    const auto fingerprint = site::read_fingerprint(*text);
    if (!fingerprint) {
      context_.complain(fingerprint.error());
      return kUsage;
    }
    wish_.peer_fingerprint = *fingerprint;
    return kOk;
  }

  int usage(const std::string& what) {
    context_.complain(what);
    return kUsage;
  }

  // The text is read back by the reader that will read it later: options need no checks of theirs.
  int check() {
    text_ = new_site_text(wish_);
    auto reading = site::read_site(wish_.name, site_file_, text_);
    base::Problems problems = reading.problems;
    if (reading.site) {
      problems = site::check_site(*reading.site, context_.world().cpu_count).problems;
      site_ = *std::move(reading.site);
    }
    for (base::Problem& problem : problems) problem.place = {};
    context_.complain(problems);
    return problems.empty() ? kOk : kUsage;
  }

  // What was asked for by an option may be another site's; what is chosen here never is.
  void warn_of_others() {
    render::RenderInput input{.site = site_};
    for (const auto& need : render::needed_files(site_, "", context_.paths())) {
      input.files[need.written];  // what is in it does not matter here
    }
    const auto profile = render::render(input);
    if (!profile) return;
    auto crossed = site::cross_check(site::footprint_of(wish_.name, profile->profile),
                                     others_in_the_way(context_, wish_.name));
    for (base::Problem& problem : crossed.problems) problem.place = {};
    if (const auto taken = interface_in_the_way(context_, profile->profile, {})) {
      crossed.problems.push_back(*taken);
    }
    context_.warn(crossed.problems);
  }

  std::string key_path() const {
    const bool tls = by_fingerprint() || by_authority();
    const std::string file = tls ? std::string(kKeyFile) : wish_.name + ".key";
    return context_.paths().keys_folder(wish_.name) + "/" + file;
  }

  // The site file comes last: until it is there, nothing of this counts. A key that lies there
  // already (of an earlier try, or brought over by hand) is used as it is.
  int gather(plan::Desired& desired) {
    desired.folders.push_back({context_.paths().sites_folder(), kFolderMode});
    if (wish_.mode != "none") {
      // A client of pki has a folder to put things into.
      desired.folders.push_back({context_.paths().all_keys_folder(), kKeysFolderMode});
      desired.folders.push_back({context_.paths().keys_folder(wish_.name), kKeysFolderMode});
      if (is_client() && !makes_identity()) {
        // Whoever runs the server makes them.
      } else if (context_.files().status(key_path())) {
        context_.note("uses the key that is there: " + key_path());
      } else if (!by_fingerprint() && !by_authority()) {
        desired.files.push_back(
            {key_path(), ovpn::format_static_key(ovpn::generate_static_key()), kKeyMode, true});
      }
    }
    if (makes_identity()) {
      if (const int status = gather_identity(desired); status != kOk) return status;
    }
    desired.files.push_back({site_file_, text_, kSiteMode, false});
    return kOk;
  }

  // A client that shows a user name needs no certificate.
  bool makes_identity() const { return by_fingerprint() && !wish_.auth_user_pass; }

  int gather_identity(plan::Desired& desired) {
    const std::string cert =
        context_.paths().keys_folder(wish_.name) + "/" + std::string(kCertificateFile);
    auto identity = tls_identity(context_, {wish_.name, cert, key_path()});
    if (!identity) return fail(context_, identity.error());
    fingerprint_ = identity->fingerprint;
    desired.files = std::move(identity->files);
    if (wish_.peer_fingerprint != fingerprint_) return kOk;
    return usage("--peer-fingerprint is this end's own; the far end's goes here, " +
                 context_.command("key fingerprint " + wish_.name) + " prints it there");
  }

  void tell() {
    context_.say("wrote " + site_file_);
    if (is_client()) return tell_client();
    if (by_authority()) return tell_authority();
    if (wish_.mode != "none") context_.say("key   " + key_path());
    if (by_fingerprint()) return tell_fingerprint();
    const auto far = wish_.remote.empty() ? std::nullopt : site::parse_remote(wish_.remote.front());
    const std::string far_host = far ? far->host : "FAR-HOST";
    const bool needs_remote = wish_.remote.empty() && wish_.far_remote.empty();
    context_.say("next, here:     " + context_.command_to_begin(wish_.name));
    context_.say("next, far end:  " + context_.command("render " + wish_.name) + " --far-end" +
                 (needs_remote ? " --remote THIS-HOST" : "") + " --stdout | ssh root@" + far_host +
                 " tunctl import - --as " + wish_.name);
  }

  // In the order in which it is done: what is there already is not asked for.
  void tell_client() {
    const std::string folder = context_.paths().keys_folder(wish_.name);
    std::vector<std::string> files;
    if (by_authority()) files.emplace_back(kAuthorityFile);
    if (by_authority() && !wish_.auth_user_pass) {
      files.insert(files.end(), {std::string(kCertificateFile), std::string(kKeyFile)});
    }
    std::erase_if(files, [&](const std::string& file) {
      return context_.files().status(folder + "/" + file).has_value();
    });
    if (!files.empty()) {
      context_.say("next, here:     put " + listed(files) + " into " + folder +
                   "; whoever runs the server has " + (files.size() == 1 ? "it" : "them"));
    }
    if (makes_identity()) context_.say("next, server:   peer-fingerprint " + fingerprint_);
    if (by_fingerprint() && wish_.peer_fingerprint.empty()) {
      context_.say("next, here:     " + context_.command("key trust " + wish_.name) +
                   " FINGERPRINT, of the server's certificate");
    }
    if (wish_.auth_user_pass) {
      context_.say("next, here:     " + context_.command("credentials " + wish_.name));
    }
    context_.say("next, here:     " + context_.command_to_begin(wish_.name));
    context_.note(site_file_ + " has lines for what else the server may want, such as tls-auth");
  }

  // Nothing is made here: whoever has the authority's key makes certificates.
  void tell_authority() {
    const std::string command = render::far_end_command(site_, "");
    context_.say("next, here:     put " + std::string(kAuthorityFile) + ", " +
                 std::string(kCertificateFile) + " and " + std::string(kKeyFile) + " into " +
                 context_.paths().keys_folder(wish_.name));
    context_.say("next, here:     " + context_.command_to_begin(wish_.name));
    if (wish_.remote.empty() || !wish_.far_remote.empty()) {
      context_.say("next, far end:  " + command);
    }
    if (command.find("THIS-HOST") != std::string::npos) {
      context_.note("write in place of THIS-HOST how the far end reaches this machine");
    }
  }

  // The end that is made first prints the whole command for the other one, which prints the last
  // line for the first.
  void tell_fingerprint() {
    if (!wish_.peer_fingerprint.empty()) {
      context_.say("next, far end:  tunctl key trust " + wish_.name + " " + fingerprint_);
      context_.say("next, here:     " + context_.command_to_begin(wish_.name));
      return;
    }
    const std::string command = render::far_end_command(site_, fingerprint_);
    context_.say("next, far end:  " + command);
    context_.say("next, here:     the line that it prints for this end");
    if (command.find("THIS-HOST") != std::string::npos) {
      context_.note("write in place of THIS-HOST how the far end reaches this machine");
    }
  }

  Context& context_;
  const Call& call_;
  NewSite wish_;
  std::string site_file_;
  std::string text_;
  site::Site site_;          // the same, read
  std::string fingerprint_;  // of this end's certificate
};

}  // namespace

int run_new(Context& context, const Call& call) { return Maker(context, call).run(); }

}  // namespace cli
