// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/ask_logins.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ovpn/login_text.h"
#include "supervisor/cli/work.h"
#include "supervisor/launch/launch_plan.h"

namespace cli {
namespace {

using ovpn::LoginKind;

constexpr mode_t kSecretMode = 0600;
constexpr mode_t kSecretFolderMode = 0700;
constexpr std::size_t kSourceBytesMax = std::size_t{64} << 10;

constexpr const char* kLoginWanted = "login";

std::optional<host::OpenQuestion> question_at(Context& context, const std::string& site) {
  if (!site::is_site_name(site)) return std::nullopt;
  return context.world().question(context.paths().runtime_folder(site) + "/" + launch::kAskSocket);
}

struct Question {
  std::string words;  // "user name for nl"
  bool echo = false;
};

std::vector<Question> questions_of(const std::string& site, const render::FileNeed& ask) {
  std::string whose = " for " + site;
  if (ask.login == "http-proxy-user-pass") whose += "'s HTTP proxy";
  if (ask.login == "socks-proxy") whose += "'s SOCKS proxy";
  if (ask.kind == LoginKind::kPassphrase)
    return {{"passphrase of " + site + "'s private key", false}};
  if (ask.kind == LoginKind::kServerUser) return {{"user name" + whose, true}};
  return {{"user name" + whose, true}, {"password" + whose, false}};
}

// Where answers come from: a person, or the lines of a text.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual std::optional<std::string> next(const Question& question) = 0;
  virtual std::string place() const = 0;
};

class TerminalAnswers : public Answers {
 public:
  explicit TerminalAnswers(World& world) : world_(world) {}
  std::optional<std::string> next(const Question& question) override {
    return world_.ask(question.words + ": ", question.echo);
  }
  std::string place() const override { return "the terminal"; }

 private:
  World& world_;
};

class TextAnswers : public Answers {
 public:
  TextAnswers(std::string text, std::string place)
      : text_(std::move(text)), rest_(text_), place_(std::move(place)) {}
  ~TextAnswers() override { base::wipe(text_); }
  TextAnswers(const TextAnswers&) = delete;
  TextAnswers& operator=(const TextAnswers&) = delete;

  std::optional<std::string> next(const Question&) override {
    if (rest_.empty()) return std::nullopt;
    const auto end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    return std::string(line);
  }
  std::string place() const override { return place_; }

 private:
  std::string text_;
  std::string_view rest_;
  const std::string place_;
};

base::Result<std::unique_ptr<Answers>> answers_from(Context& context,
                                                    const std::optional<std::string>& source) {
  World& world = context.world();
  if (!source && world.in_is_terminal) {
    return std::unique_ptr<Answers>(std::make_unique<TerminalAnswers>(world));
  }
  if (!source || *source == "-") {
    std::string text(std::istreambuf_iterator<char>(world.in), {});
    return std::unique_ptr<Answers>(
        std::make_unique<TextAnswers>(std::move(text), "standard input"));
  }
  const std::string path = source->starts_with('/') ? *source : world.folder + "/" + *source;
  auto bytes = context.files().read(path);
  if (!bytes) return bytes.error();
  return std::unique_ptr<Answers>(std::make_unique<TextAnswers>(std::move(*bytes), *source));
}

// One login's file; an empty text where an optional one was left out.
base::Result<std::string> answer(Answers& answers, const std::string& site,
                                 const render::FileNeed& ask) {
  std::string text;
  for (const Question& question : questions_of(site, ask)) {
    auto line = answers.next(question);
    if (line && text.size() + line->size() < kSourceBytesMax) text += *line + "\n";
    const bool nothing = !line || (line->empty() && text.size() == 1);
    if (line) base::wipe(*line);
    if (!nothing) continue;
    base::wipe(text);
    if (ask.optional) return std::string();
    return base::Problem{{},
                         "there is no " + question.words + " on " + answers.place(),
                         "give a line for each: user name, then password"};
  }
  const std::string error = ovpn::login_error(text, ask.kind);
  if (error.empty()) return text;
  base::wipe(text);
  return base::Problem{{}, ask.login + ": " + error, ""};
}

}  // namespace

base::Result<GivenLogins> ask_logins(Context& context, const std::string& site,
                                     const std::vector<render::FileNeed>& asks,
                                     const std::optional<std::string>& source) {
  auto answers = answers_from(context, source);
  if (!answers) return answers.error();
  GivenLogins logins;
  for (const render::FileNeed& ask : asks) {
    auto text = answer(**answers, site, ask);
    if (!text) return text.error();
    if (!text->empty()) logins.push_back({ask.login, ask.stored, std::move(*text)});
  }
  return logins;
}

std::optional<int> answer_engine(Context& context, const std::string& site,
                                 const std::optional<std::string>& source) {
  const auto open = question_at(context, site);
  if (!open || open->kind == kLoginWanted) return std::nullopt;
  if (context.globals().dry_run) {
    context.print("would answer '" + open->text + "' to the engine of " + site + "\n");
    return kOk;
  }
  auto answers = answers_from(context, source);
  if (!answers) {
    context.complain(answers.error());
    return worse(status_of(answers.error()), kFailed);
  }
  auto answer = (*answers)->next({site + ": " + open->text, open->kind == "text"});
  if (!answer) {
    context.complain("there is no answer to '" + open->text + "' on " + (*answers)->place());
    return kFailed;
  }
  const std::string failure = open->answer(*answer);
  base::wipe(*answer);
  if (!failure.empty()) {
    context.complain(site + ": " + failure);
    return kFailed;
  }
  context.say(site + ": answered");
  return kOk;
}

bool engine_wants_login(Context& context, const std::string& site) {
  const auto open = question_at(context, site);
  return open && open->kind == kLoginWanted;
}

void add_logins(Context& context, const GivenLogins& logins, plan::Desired& desired) {
  const auto add_folder = [&desired](const std::string& path) {
    const auto same = [&path](const plan::Folder& folder) { return folder.path == path; };
    if (std::none_of(desired.folders.begin(), desired.folders.end(), same)) {
      desired.folders.push_back({path, kSecretFolderMode});
    }
  };
  for (const GivenLogin& given : logins) {
    add_folder(context.paths().all_keys_folder());
    add_folder(site::folder_of(given.path));
    desired.files.push_back({given.path, given.text, kSecretMode, true});
  }
}

}  // namespace cli
