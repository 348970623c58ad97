// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/load_tls.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/secret_bytes.h"
#include "fastpath/engine/secret_file.h"
#include "ovpn/login_text.h"

namespace engine {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;  // a CRL can be large

enum class Content { kPublic, kSecret };

std::string remedy_for(const base::Problem& problem) {
  const std::string& text = problem.message;
  if (text.ends_with("Permission denied")) return "run as root, or let this user read it";
  if (text.ends_with("No such file or directory")) {
    return "put the file there, or write its place in full";
  }
  return {};
}

void load(const std::string& directive, config::ConfigFile& file, Content content,
          base::Problems& problems, base::Problems& warnings) {
  if (!file.given() || file.inlined()) return;
  auto bytes = base::read_file(file.name, kFileBytesMax);
  if (!bytes) {
    problems.push_back(
        {file.place, directive + ": " + bytes.error().message, remedy_for(bytes.error())});
    return;
  }
  if (content == Content::kSecret) warn_if_readable_by_all(file.name, warnings);
  file.text = std::move(*bytes);
  if (file.text.empty()) {
    problems.push_back(
        {file.place, directive + ": " + file.name + " is empty", "put its content there"});
  }
}

void load_passphrase(config::CertificateConfig& certificate, base::Problems& problems,
                     base::Problems& warnings) {
  if (!certificate.askpass) return;
  load("askpass", certificate.passphrase_file, Content::kSecret, problems, warnings);
  for (std::string& line : ovpn::first_lines(certificate.passphrase_file.text, 1)) {
    certificate.passphrase = line;
    base::wipe(line);
  }
  base::wipe(certificate.passphrase_file.text);
  certificate.passphrase_file.text.clear();
}

bool readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

// Where the two lines are to be had when the config names no file.
config::ConfigFile credentials_place(const std::string& credentials_file) {
  if (!credentials_file.empty()) return {credentials_file, {}};
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr) return {};
  const std::string path = std::string(folder) + "/auth-user-pass";
  return readable(path) ? config::ConfigFile{path, {}} : config::ConfigFile{};
}

}  // namespace

base::Problems load_credentials(config::CredentialsConfig& credentials,
                                const std::string& credentials_file, base::Problems& warnings) {
  base::Problems problems;
  if (!credentials.wanted) return problems;
  config::ConfigFile file =
      credentials.file.given() ? credentials.file : credentials_place(credentials_file);
  if (!file.given()) {
    problems.push_back({{},
                        "auth-user-pass: the server wants a user name and a password, and nobody "
                        "has given them",
                        "write them into a file of two lines that only its owner may read, and "
                        "its name behind auth-user-pass"});
    return problems;
  }
  load("auth-user-pass", file, Content::kSecret, problems, warnings);
  if (!problems.empty()) return problems;
  std::vector<std::string> lines = ovpn::first_lines(file.text, 2);
  lines.resize(2);
  const bool too_long =
      lines[0].size() > ovpn::kLoginLineBytesMax || lines[1].size() > ovpn::kLoginLineBytesMax;
  if (lines[0].empty() || too_long) {
    problems.push_back(
        {{},
         "auth-user-pass: " + file.name +
             (too_long ? ": longer than OpenVPN takes" : ": its first line is empty"),
         "write the user name on the first line and the password on the second"});
  } else if (lines[1].empty() && !credentials.username_only && credentials.token.empty()) {
    problems.push_back({{},
                        "auth-user-pass: " + file.name + " has no password on its second line",
                        "write it there"});
  } else {
    credentials.username = lines[0];
    base::wipe(credentials.password);
    credentials.password = lines[1];
  }
  for (std::string& line : lines) base::wipe(line);
  return problems;
}

bool rereads_credentials(const config::TunnelConfig& config) {
  const config::ProcessConfig& process = config.process;
  const bool stays = process.user.empty() && process.group.empty() && process.chroot.empty();
  return config.tls && config.tls->credentials.nocache && !config.tls->credentials.file.inlined() &&
         stays;
}

void forget_reread_password(config::TunnelConfig& config) {
  if (!rereads_credentials(config)) return;
  base::wipe(config.tls->credentials.password);
  config.tls->credentials.password.clear();
}

base::Problems load_tls_files(config::TlsConfig& tls, const std::string& credentials_file,
                              base::Problems& warnings) {
  base::Problems problems;
  auto& certificate = tls.certificate;
  load("ca", certificate.ca, Content::kPublic, problems, warnings);
  load("cert", certificate.cert, Content::kPublic, problems, warnings);
  load("key", certificate.key, Content::kSecret, problems, warnings);
  load("pkcs12", certificate.pkcs12, Content::kSecret, problems, warnings);
  load("extra-certs", certificate.extra_certs, Content::kPublic, problems, warnings);
  load("crl-verify", certificate.crl, Content::kPublic, problems, warnings);
  load("dh", certificate.dh, Content::kPublic, problems, warnings);
  const char* wrap = tls.wrap.kind == config::ControlWrap::kTlsAuth    ? "tls-auth"
                     : tls.wrap.kind == config::ControlWrap::kTlsCrypt ? "tls-crypt"
                                                                       : "tls-crypt-v2";
  load(wrap, tls.wrap.key, Content::kSecret, problems, warnings);
  for (const auto& [name, folder] : {std::pair("capath", certificate.ca_path),
                                     std::pair("crl-verify", certificate.crl_directory)}) {
    if (folder.empty() || readable(folder)) continue;
    problems.push_back({{}, std::string(name) + ": " + folder + " cannot be read", "make it"});
  }
  load_passphrase(certificate, problems, warnings);
  const base::Problems credentials = load_credentials(tls.credentials, credentials_file, warnings);
  problems.insert(problems.end(), credentials.begin(), credentials.end());
  return problems;
}

}  // namespace engine
