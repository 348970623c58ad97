// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "ovpn/line_words.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

constexpr mode_t kFolderMode = 0700;

render::ForVersion version_of(const Call& call) {
  const std::string text = call.value("--for").value_or("");
  if (text == "2.5") return render::ForVersion::k25;
  if (text == "2.6") return render::ForVersion::k26;
  if (text == "2.7") return render::ForVersion::k27;
  return render::ForVersion::kAny;
}

// Blocks that hold nothing to hide; every other one may be a key or a password.
bool may_be_shown(std::string_view tag) {
  constexpr std::string_view kPublic[] = {
      "<ca>", "<cert>",        "<connection>",  "<crl-verify>",
      "<dh>", "<extra-certs>", "<verify-hash>", "<peer-fingerprint>"};
  return std::find(std::begin(kPublic), std::end(kPublic), tag) != std::end(kPublic);
}

// The tag that opens a block on this line, as the lexer reads it: blanks and quotes around it do
// not count. Empty if there is none.
std::string opened_block(std::string_view line) {
  const auto words = ovpn::split_config_line(line);
  if (words.words.size() != 1) return {};
  const std::string& word = words.words.front();
  const bool opens = word.starts_with('<') && word.ends_with('>') && !word.starts_with("</");
  return opens ? word : std::string();
}

// The config for people: everything but keys and passwords.
std::string without_secrets(std::string_view text) {
  std::string shown;
  std::string closing;  // of the block that the line is in
  bool hidden = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!closing.empty() && base::trim(line).starts_with(closing)) {
      closing.clear();
      hidden = false;
    }
    if (!hidden) shown += std::string(line) + "\n";
    if (!closing.empty()) continue;
    const std::string tag = opened_block(line);
    if (tag.empty()) continue;
    closing = "</" + tag.substr(1);
    hidden = !may_be_shown(tag);
    if (hidden) shown += "# not shown; --show-secrets shows it\n";
  }
  return shown;
}

int write_to_folder(Context& context, const render::Rendered& rendered, const std::string& folder) {
  plan::Desired desired;
  desired.folders.push_back({folder, kFolderMode});
  for (render::Artifact artifact : rendered.artifacts) {
    artifact.path = folder + "/" + artifact.path;
    desired.files.push_back(std::move(artifact));
  }
  // The config comes last: a config without the files it names would be half of it.
  std::rotate(desired.files.begin(), desired.files.begin() + 1, desired.files.end());
  const int status = carry_out(context, desired);
  if (status != kOk || context.globals().dry_run) return status;
  for (const auto& artifact : rendered.artifacts) context.say(folder + "/" + artifact.path);
  return kOk;
}

render::RenderInput input_for(Context& context, const Call& call,
                              const launch::LoadedSite& loaded) {
  auto input = loaded.render_input(context.paths());
  input.end = call.has("--far-end") ? render::End::kFar : render::End::kNear;
  input.version = version_of(call);
  input.remote = call.values("--remote");
  const bool kept_near = !loaded.site.described && input.end == render::End::kNear;
  if (!call.has("--to")) {
    input.inline_key = true;
  } else if (kept_near) {
    input.folder = *call.value("--to");  // a kept config may name its key by any path
  }
  return input;
}

int usage(Context& context, const char* what) {
  context.complain(what);
  return kUsage;
}

}  // namespace

int run_render(Context& context, const Call& call) {
  const bool to_stdout = call.has("--stdout");
  if (to_stdout && call.has("--to")) return usage(context, "--to and --stdout exclude each other");
  if (call.has("--remote") && !call.has("--far-end")) {
    return usage(context, "--remote goes with --far-end: it is how the far end reaches us");
  }
  const auto loaded = load(context, call.operands.at(0));
  if (!loaded) {
    context.complain(loaded.error().problems);
    return loaded.error().status;
  }
  const bool near = !call.has("--far-end");
  if (const auto problem = render::unfinished(loaded->site); near && problem) {
    context.complain(*problem);
    return kInvalid;
  }
  context.warn(loaded->warnings);
  const auto rendered = render::render(input_for(context, call, *loaded));
  if (!rendered) {
    context.complain(rendered.error());
    return kInvalid;
  }
  for (const std::string& note : rendered->notes) context.note(note);
  if (const auto folder = call.value("--to")) return write_to_folder(context, *rendered, *folder);
  const render::Artifact& config = rendered->artifacts.front();
  const bool show = call.has("--show-secrets");
  if (to_stdout && config.secret && context.world().out_is_terminal && !show) {
    context.complain(
        "this would show the key on the terminal; pipe it (tunctl(8) has the line), or say "
        "--show-secrets");
    return kFailed;
  }
  context.print(to_stdout || show ? config.bytes : without_secrets(config.bytes));
  return kOk;
}

}  // namespace cli
