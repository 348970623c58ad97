// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/kept_render.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "ovpn/lexer.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/host_scripts.h"
#include "supervisor/render/kept_config.h"
#include "supervisor/render/logins.h"
#include "supervisor/render/needed_files.h"
#include "supervisor/render/output_folder.h"
#include "supervisor/render/unit_overlay.h"
#include "supervisor/render/version_lines.h"

namespace render {
namespace {

constexpr mode_t kSecretMode = 0600;

ovpn::Directive like(const ovpn::Directive& line, std::string name, std::vector<std::string> args) {
  return {std::move(name), std::move(args), std::nullopt, line.place};
}

class KeptRenderer {
 public:
  KeptRenderer(const RenderInput& input, const ovpn::Profile& profile)
      : input_(input),
        profile_(profile),
        folder_(working_folder(input.site, profile)),
        logins_(wanted_logins(profile)),
        out_(input.folder, input.site.name + ".conf") {}

  base::Result<Rendered, base::Problems> render() {
    if (const auto* include = profile_.last("config")) {
      return base::Problems{{include->place, "a site's config cannot include another file",
                             "write that file's lines in place of this one"}};
    }
    if (auto problems = logins_in_blocks(profile_); input_.for_unit && !problems.empty()) {
      return problems;
    }
    if (!input_.folder.empty()) {
      for (const ovpn::Directive& line : profile_.directives) edit_line(line);
      name_interface();
    } else if (input_.inline_key) {
      inline_secret();
    }
    std::vector<ovpn::Directive> added;
    if (input_.version != ForVersion::kAny) added = version_lines(profile_, input_.version);
    if (!input_.folder.empty()) add_passphrase(added);
    Artifact& config = out_.config();
    const bool untouched = edits_.empty() && added.empty();
    config.bytes =
        untouched ? input_.config_bytes : apply_edits(input_.config_bytes, edits_, added);
    config.mode = kSecretMode;
    for (const ovpn::Directive& line : profile_.directives) config.secret |= line.body.has_value();
    config.secret |= input_.inline_key && profile_.has("secret");
    rendered_.profile = apply_edits(profile_, edits_, added);
    rendered_.artifacts = out_.take();
    return std::move(rendered_);
  }

 private:
  void replace(const ovpn::Directive& line, std::vector<ovpn::Directive> to) {
    edits_.push_back({&line, std::move(to)});
  }

  void edit_line(const ovpn::Directive& line) {
    const bool gives_up_rights = line.name == "user" || line.name == "group";
    const bool stays = !input_.for_unit || (input_.starts_as_root && gives_up_rights);
    auto reason = stays ? std::nullopt : dropped_in_unit(line.name);
    if (!reason && input_.for_unit) reason = dropped_script(input_.site, line);
    if (reason) {
      rendered_.notes.push_back(line.name + ": left out, " + std::string(*reason));
      if (line.name == "nice" && !line.args.empty()) {
        rendered_.nice = base::parse_number<int>(line.args[0]).value_or(0);
      }
      replace(line, {});
      return;
    }
    for (const Login& login : logins_) {
      if (login.line == &line) return place_login(login);
    }
    const FileDirective* row = find_file_directive(line.name);
    const std::string* word = row == nullptr ? nullptr : file_word(*row, line);
    if (word == nullptr) return;
    const std::string path = path_in_place_of(line, *row, *word);
    if (path == *word) return;
    ovpn::Directive changed = line;
    changed.args[row->word] = path;
    replace(line, {std::move(changed)});
  }

  void place_login(const Login& login) {
    if (const auto path = login_path(login, input_, out_))
      replace(*login.line, login_lines(login, *path));
  }

  // An encrypted key asks for its passphrase although no line says so.
  void add_passphrase(std::vector<ovpn::Directive>& added) {
    for (const Login& login : logins_) {
      const auto path = login.line == nullptr ? login_path(login, input_, out_) : std::nullopt;
      if (path) added.push_back(login_lines(login, *path).front());
    }
  }

  // The argument of a directive that names a file, as the engine has to read it.
  std::string path_in_place_of(const ovpn::Directive& line, const FileDirective& row,
                               const std::string& written) {
    const auto file = input_.files.find(written);
    switch (row.use) {
      case FileUse::kRead:
        if (file != input_.files.end()) return out_.add(written, file->second, row.secret);
        return line.name == "crl-verify" ? absolute(written) : written;
      case FileUse::kPlace:
        // A program is this machine's, wherever the config lies.
        if (runs_program(line.name) && written.starts_with('/')) return written;
        return absolute(written);
      case FileUse::kWritten:
        break;
    }
    if (!input_.for_unit) return absolute(written);
    const std::string& folder = input_.state_folder.empty() ? input_.folder : input_.state_folder;
    const std::string path = folder + "/" + site::file_name_of(written);
    rendered_.notes.push_back(line.name + ": written to " + path);
    return path;
  }

  // A script may carry arguments behind its path; only the front of the text changes.
  std::string absolute(const std::string& written) const {
    if (written.starts_with('/')) return input_.paths.inside(written);
    return input_.paths.inside(folder_) + "/" + written;
  }

  // `dev tun` lets the kernel number the interface; a site's is called as the site, so that rules
  // and monitors can name it.
  void name_interface() {
    const ovpn::Directive* dev = profile_.last("dev");
    if (dev == nullptr || dev->args.empty()) return;
    const std::string& kind = dev->args[0];
    if (kind != "tun" && kind != "tap") return;
    std::vector<ovpn::Directive> to{like(*dev, "dev", {input_.site.name})};
    if (!profile_.has("dev-type")) to.push_back(like(*dev, "dev-type", {kind}));
    rendered_.notes.push_back("dev " + kind + ": the interface is called " + input_.site.name);
    replace(*dev, std::move(to));
  }

  void inline_secret() {
    const ovpn::Directive* secret = profile_.last("secret");
    if (secret == nullptr || secret->body || secret->args.empty()) return;
    const auto key = input_.files.find(secret->args[0]);
    if (key == input_.files.end()) return;
    std::vector<ovpn::Directive> to{{"secret", {}, key->second, secret->place}};
    if (secret->args.size() > 1) to.push_back(like(*secret, "key-direction", {secret->args[1]}));
    replace(*secret, std::move(to));
  }

  const RenderInput& input_;
  const ovpn::Profile& profile_;
  const std::string folder_;
  const std::vector<Login> logins_;
  OutputFolder out_;
  std::vector<Edit> edits_;
  Rendered rendered_;
};

}  // namespace

base::Result<Rendered, base::Problems> render_kept(const RenderInput& input) {
  const auto lexed =
      ovpn::lex_config(input.paths.inside(config_path(input.site)), input.config_bytes);
  if (!lexed.problems.empty()) return lexed.problems;
  return KeptRenderer(input, lexed.profile).render();
}

}  // namespace render
