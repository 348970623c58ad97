// SPDX-License-Identifier: Apache-2.0
// How many of the client configs in TUNCTL_CORPUS the native engine runs, and what keeps the others
// from it: for the engine of this version, and for one that has static keys alone.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "tests/ovpn/corpus_check.h"

namespace {

struct Table {
  std::map<std::string, std::vector<std::string>> by_reason;
  int native = 0;
  int stock = 0;
};

struct Row {
  std::string name, bytes;
};

std::vector<Row> client_files(const std::string& folder) {
  std::vector<Row> rows;
  const auto index = base::read_file(folder + "/INDEX.tsv");
  if (!index) return rows;
  for (const std::string_view line : base::split(*index, '\n')) {
    const auto fields = base::split(line, '\t');
    if (fields.size() < 6 || fields[2] != "client") continue;
    const std::string name(fields[0]);
    if (auto bytes = base::read_file(folder + "/" + name)) rows.push_back({name, *bytes});
  }
  return rows;
}

base::Problems problems_of(const Row& row, const ovpn::NativeAbilities& abilities) {
  const auto lexed = ovpn::lex_config(row.name, row.bytes);
  base::Problems problems = lexed.problems;
  const auto checked = ovpn::check_directives(lexed.profile).problems;
  problems.insert(problems.end(), checked.begin(), checked.end());
  const auto errors = ovpn::config_errors(ovpn::effective_profile(lexed.profile), abilities);
  problems.insert(problems.end(), errors.begin(), errors.end());
  return problems;
}

Table table_of(const std::vector<Row>& rows, const ovpn::NativeAbilities& abilities) {
  Table table;
  for (const Row& row : rows) {
    const auto lexed = ovpn::lex_config(row.name, row.bytes);
    if (!problems_of(row, abilities).empty()) {
      table.by_reason["refused by both engines"].push_back(row.name);
      continue;
    }
    const auto gaps = ovpn::native_gaps(ovpn::effective_profile(lexed.profile), abilities);
    if (gaps.empty()) {
      ++table.native;
    } else {
      ++table.stock;
      table.by_reason[gaps.front().message].push_back(row.name);
    }
  }
  return table;
}

void print(const char* title, const Table& table, std::size_t files) {
  std::printf("%s: %d of %zu client files native, %d on stock OpenVPN\n", title, table.native,
              files, table.stock);
  for (const auto& [reason, names] : table.by_reason) {
    std::printf("%6zu  %-44s %s%s\n", names.size(), reason.c_str(), names.front().c_str(),
                names.size() > 1 ? " ..." : "");
  }
}

}  // namespace

int main() {
  const char* folder = std::getenv("TUNCTL_CORPUS");
  if (folder == nullptr) {
    std::printf("SKIPPED: TUNCTL_CORPUS is not set\n");
    return 77;
  }
  const auto rows = client_files(folder);
  print("this version", table_of(rows, ovpn::kNative), rows.size());
  print("without TLS", table_of(rows, {.tls = false}), rows.size());
  return rows.empty() ? 1 : 0;
}
