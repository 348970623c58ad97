// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "supervisor/cli/table.h"

namespace cli {
namespace {

constexpr std::size_t kVerdictColumns = 9;
constexpr std::size_t kCheckColumns = 12;
constexpr int kColumnsMin = 60;

std::string painted(Context& context, doctor::Verdict verdict, const std::string& word) {
  switch (verdict) {
    case doctor::Verdict::kGood:
      return context.green(word);
    case doctor::Verdict::kFault:
      return context.red(word);
    case doctor::Verdict::kNote:
    case doctor::Verdict::kUnknown:
      return context.yellow(word);
  }
  return word;
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string doctor_text(Context& context, const std::vector<doctor::Finding>& findings) {
  constexpr std::size_t kTextAt = kVerdictColumns + kCheckColumns;
  const auto columns = static_cast<std::size_t>(std::max(context.world().columns, kColumnsMin));
  std::string text;
  std::optional<std::string> block;
  std::size_t faults = 0, notes = 0;
  for (const doctor::Finding& finding : findings) {
    if (block != finding.site) {
      text += (block ? "\n" : "") + (finding.site.empty() ? "This machine" : finding.site) + "\n";
      block = finding.site;
    }
    // Colours take no columns, so they are put on afterwards.
    const std::string word =
        fmt::format("{:<{}}", doctor::to_string(finding.verdict), kVerdictColumns);
    const std::string line = wrapped(fmt::format("{}{:<{}}", word, finding.check, kCheckColumns),
                                     finding.evidence, kTextAt, columns);
    text += painted(context, finding.verdict, word) + line.substr(word.size());
    if (!finding.remedy.empty()) {
      text += wrapped(std::string(kTextAt, ' ') + "→ ", finding.remedy, kTextAt + 2, columns);
    }
    faults += finding.verdict == doctor::Verdict::kFault ? 1 : 0;
    notes += finding.verdict == doctor::Verdict::kNote ? 1 : 0;
  }
  return text + "\n" + counted(faults, "fault") + ", " + counted(notes, "note") + "\n";
}

std::string doctor_json(const std::vector<doctor::Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const doctor::Finding& finding : findings) {
    nlohmann::ordered_json json{{"check", finding.check}};
    if (!finding.site.empty()) json["site"] = finding.site;
    json["verdict"] = doctor::to_string(finding.verdict);
    json["evidence"] = finding.evidence;
    if (!finding.remedy.empty()) json["remedy"] = finding.remedy;
    list.push_back(std::move(json));
  }
  const nlohmann::ordered_json whole{{"schema", "tunctl.doctor/1"}, {"findings", list}};
  // What is not UTF-8 is replaced: a config's words may be anything.
  return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cli
