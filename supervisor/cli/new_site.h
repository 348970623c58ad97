// SPDX-License-Identifier: Apache-2.0
// The text of a site file for `tunctl new`, and the free values it suggests.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/site/cross_check.h"
#include "supervisor/site/site.h"

namespace cli {

struct NewSite {
  std::string name;
  site::Type type = site::Type::kP2p;
  std::string mode = "fingerprint";  // or "pki"; of two equals also "static-key", "none"
  std::vector<std::string> remote;   // empty: this end waits to be called
  std::string far_remote;            // how the far end reaches this machine; empty: it waits
  int port = 1194;                   // of a client 0: as the remotes say, or 1194
  std::string here, there;           // the tunnel's two addresses
  std::string cpus;                  // empty: not asked for
  std::string engine;                // empty: auto
  std::string dev;                   // empty: the site's name
  std::string cipher, auth;          // empty: the defaults of a described site
  std::string role;                  // of TLS: "server" or "client"
  std::string peer_fingerprint;      // empty: not known yet
  bool auth_user_pass = false;       // a client shows a user name, and no certificate
  std::vector<std::string> route, far_route;
};

// What `new` calls the files of TLS below /etc/tunctl/keys/NAME. A static key is
// NAME.key there, so that a site may have both while it goes from one to the other.
inline constexpr std::string_view kCertificateFile = "tls.crt", kKeyFile = "tls.key",
                                  kAuthorityFile = "ca.crt";

// A commented site file. Pure.
std::string new_site_text(const NewSite& site);

// The first port from 1194 upwards, and the first pair 10.8.N.1, 10.8.N.2, that no other site has.
int free_port(std::span<const site::Footprint> others);
std::optional<std::pair<std::string, std::string>> free_pair(
    std::span<const site::Footprint> others);

}  // namespace cli
