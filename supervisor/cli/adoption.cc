// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/adoption.h"

#include <nlohmann/json.hpp>

namespace cli {
namespace {

constexpr const char* kSchema = "tunctl.adoption/1";

}  // namespace

std::string format_adoption(const Adoption& adoption) {
  const nlohmann::ordered_json json = {
      {"schema", kSchema},           {"site", adoption.site},
      {"unit", adoption.unit},       {"active", adoption.active},
      {"enabled", adoption.enabled}, {"generated", adoption.generated},
      {"failing", adoption.failing}, {"stands", adoption.stands}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

base::Result<Adoption> parse_adoption(std::string_view file, std::string_view text) {
  const auto broken = [file](const std::string& why) {
    return base::Problem{{std::string(file), 0, 0},
                         "this is no note of an adoption: " + why,
                         "start the unit of OpenVPN by hand, and remove this file"};
  };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return broken("not a JSON object");
  try {
    if (json.at("schema") != kSchema) return broken("another version wrote it");
    Adoption adoption;
    json.at("site").get_to(adoption.site);
    json.at("unit").get_to(adoption.unit);
    json.at("active").get_to(adoption.active);
    json.at("enabled").get_to(adoption.enabled);
    json.at("generated").get_to(adoption.generated);
    adoption.failing = json.value("failing", false);  // an older program wrote none
    json.at("stands").get_to(adoption.stands);
    return adoption;
  } catch (const nlohmann::json::exception& error) {
    return broken(error.what());
  }
}

base::Result<std::optional<Adoption>> adoption_of(Context& context, const std::string& site) {
  const std::string path = context.paths().adoption(site);
  if (!context.files().status(path)) return std::optional<Adoption>();
  const auto text = context.files().read(path);
  if (!text) return text.error();
  auto adoption = parse_adoption(path, *text);
  if (!adoption) return adoption.error();
  return std::optional<Adoption>(std::move(adoption).value());
}

std::vector<std::string> adopted_sites(Context& context) {
  std::vector<std::string> names;
  for (const std::string& file : context.files().list(context.paths().adopted_folder())) {
    if (file.ends_with(".json") && !file.starts_with('.')) names.push_back(site::stem_of(file));
  }
  return names;
}

}  // namespace cli
