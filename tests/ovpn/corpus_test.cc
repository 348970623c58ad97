// SPDX-License-Identifier: Apache-2.0
// Real config files, kept outside of this project, through the lexer and the tables. The folder is
// named by TUNCTL_CORPUS and holds INDEX.tsv, whose column openvpn_2.6.14_parse says what stock
// made of each file.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "tests/ovpn/corpus_check.h"

namespace {

constexpr std::string_view kLaterInStock =
    "stock's parser takes it, and stock ends at once for want of a CA or a certificate";

// Files on which we differ from stock on purpose, with the reason.
const std::map<std::string_view, std::string_view> kDeliberate = {
    {"server-tcp-userpass-verify.conf",
     "stock ends on client-cert-not-required too, but says so as a fatal error of its run"},
    {"giganews-crlf-aup-file-comp-lzo.ovpn", kLaterInStock},
    {"nmfix-compress-and-complzo.ovpn", kLaterInStock},
    {"nmfix-proto-tcp6-client.ovpn", kLaterInStock},
};

std::string read_or_die(const std::string& path) {
  auto bytes = base::read_file(path);
  if (!bytes) {
    std::printf("FAILED: %s\n", bytes.error().message.c_str());
    std::exit(1);
  }
  return std::move(bytes).value();
}

// Stock's environment rejections (a script or key file that is not there) are no syntax errors.
bool stock_accepts(std::string_view verdict) { return !verdict.starts_with("reject"); }

// OpenVPN 2.6 refuses lines that it has forgotten and that the native engine passes over or reads.
bool runs_without_stock(const std::string& name, const std::string& bytes) {
  const ovpn::Profile profile = ovpn::effective_profile(ovpn::lex_config(name, bytes).profile);
  if (!ovpn::native_gaps(profile).empty()) return false;
  for (const ovpn::Directive& directive : profile.directives) {
    const ovpn::DirectiveRow* row = ovpn::find_row(directive.name);
    if (row != nullptr && row->stock_until < 6) return true;
  }
  return false;
}

}  // namespace

int main() {
  const char* folder = std::getenv("TUNCTL_CORPUS");
  if (folder == nullptr) {
    std::printf("SKIPPED: TUNCTL_CORPUS is not set\n");
    return 77;
  }
  const std::string index = read_or_die(std::string(folder) + "/INDEX.tsv");
  int files = 0;
  int failures = 0;
  for (const std::string_view line : base::split(index, '\n')) {
    const auto fields = base::split(line, '\t');
    if (fields.size() < 6 || fields[0] == "file") continue;
    ++files;
    const std::string name(fields[0]);
    const std::string bytes = read_or_die(std::string(folder) + "/" + name);
    const ovpn::Verdict verdict = ovpn::judge_config(name, bytes);
    const bool agrees = verdict.accepted() == stock_accepts(fields[5]) ||
                        (verdict.accepted() && runs_without_stock(name, bytes));
    if (agrees != kDeliberate.contains(fields[0])) continue;
    ++failures;
    std::printf("FAILED: %s: stock: %s, ours: %s\n", name.c_str(), std::string(fields[5]).c_str(),
                verdict.accepted() ? "accept" : verdict.first().c_str());
  }
  std::printf("%d files, %d disagreements without a reason\n", files, failures);
  return files == 0 || failures != 0 ? 1 : 0;
}
