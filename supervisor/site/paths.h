// SPDX-License-Identifier: Apache-2.0
// Where everything lies. `--root DIR` goes in front of each path; FileStore gets the results as
// they are, so nothing below knows that there is a root.
#pragma once

#include <string>
#include <string_view>

namespace site {

class Paths {
 public:
  // "" or "/": the machine itself. Trailing slashes are dropped.
  explicit Paths(std::string_view root = "");

  const std::string& root() const { return root_; }  // "" or "/some/folder"
  // An absolute path as an admin wrote it (in a site file, in an OpenVPN config), inside the root.
  std::string inside(std::string_view absolute) const { return root_ + std::string(absolute); }
  // The same path as an admin would write it; a path outside the root comes back as it is.
  std::string as_written(std::string_view path) const;

  std::string sites_folder() const { return inside("/etc/tunctl/sites"); }
  std::string site_file(std::string_view name) const;    // …/sites/NAME.toml
  std::string keys_folder(std::string_view name) const;  // …/keys/NAME, 0700
  std::string all_keys_folder() const { return inside("/etc/tunctl/keys"); }
  std::string ovpn_folder() const { return inside("/etc/tunctl/ovpn"); }
  std::string imported_config(std::string_view name) const;  // …/ovpn/NAME.conf
  std::string runtime_folder(std::string_view name) const;   // /run/tunctl/NAME
  // The same of a site that `tunctl run` holds: a unit of that name takes its own away at its end.
  std::string foreground_folder(std::string_view name) const;  // /run/tunctl/.run/NAME
  std::string state_folder(std::string_view name) const;       // /var/lib/tunctl/NAME
  // Where /var cannot be written: /run/tunctl/.state/NAME, which outlives the unit but no boot.
  std::string volatile_state_folder(std::string_view name) const;
  // What `adopt` must remember to give a unit of stock OpenVPN back. Root's alone: a site's own
  // folder there belongs to its unit's user.
  std::string adopted_folder() const { return inside("/var/lib/tunctl/.adopted"); }
  std::string adoption(std::string_view name) const;  // …/.adopted/NAME.json
  // What `key migrate` must remember of a link that goes from a static key to fingerprints.
  std::string migrating_folder() const { return inside("/var/lib/tunctl/.migrating"); }
  std::string migration(std::string_view name) const;  // …/.migrating/NAME.json
  // The site file on trial, read in place of the site's own while it is there: a boot ends it.
  std::string trial_folder() const { return inside("/run/tunctl/.trial"); }
  std::string trial_site(std::string_view name) const;  // …/.trial/NAME.toml
  // A kept config whose static key has made way for fingerprints.
  std::string migrated_config(std::string_view name) const;  // …/ovpn/NAME.fingerprint.conf
  std::string run_folder() const { return inside("/run/tunctl"); }
  // Marks for network managers, one file an interface.
  std::string interfaces_folder() const { return inside("/run/tunctl/.interfaces"); }
  std::string drop_in_folder(std::string_view name) const;  // …/tunctl@NAME.service.d
  std::string drop_in(std::string_view name) const;         // …/10-tunctl.conf

 private:
  std::string root_;
};

// "tunctl@NAME.service" and the name back out of it ("" if it is no such unit).
std::string unit_of(std::string_view name);
std::string name_of_unit(std::string_view unit);

// "/a/b/c.conf" -> "/a/b"; "/c" -> "/"; "c" -> ".". And "c.conf"; and "c" without the extension.
std::string folder_of(std::string_view path);
std::string file_name_of(std::string_view path);
std::string stem_of(std::string_view path);

}  // namespace site
