// SPDX-License-Identifier: Apache-2.0
// Management, plugins, proxies, tokens, one-shot commands, other systems, and what is gone.
// Counts of arguments: OpenVPN 2.6.14 asked with zero to eleven of them; 2.7 from its manual page.
#include "ovpn/directive_rows.h"

namespace ovpn {
namespace {

constexpr NativeUse kHarmless = NativeUse::kHarmless;
constexpr NativeUse kHonoured = NativeUse::kHonoured;
constexpr NativeUse kRefused = NativeUse::kRefused;
constexpr NativeUse kTls = NativeUse::kTls;
constexpr NativeUse kRemoved = NativeUse::kRemoved;

// name, arguments from and to, native use, inline, note, stock from and until 2.x (0: not on Linux)
// clang-format off
constexpr DirectiveRow kRows[] = {
    {"allow-nonadmin", 0, 1, kHarmless, false, "Windows only", 0, 0},
    {"block-outside-dns", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"client-cert-not-required", 0, 0, kRemoved, false, "write 'verify-client-cert none'", 0, 0},
    {"compat-names", 0, kAnyCount, kRemoved, false, "remove the line", 0, 0},
    {"cryptoapicert", 1, 1, kRefused, false, "keys in the Windows certificate store", 0, 0},
    {"dhcp-internal", 1, 1, kHarmless, false, "Windows only", 0, 0},
    {"dhcp-pre-release", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"dhcp-release", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"dhcp-renew", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"foreign-option", 0, kAnyCount, kRemoved, false, "write 'setenv foreign_option_1 VALUE'", 0, 0},
    {"gateway", 1, 1, kHarmless, false, "Windows only", 0, 0},
    {"genkey", 0, 3, kRefused, false, "a one-shot command, not a tunnel"},
    {"help", 0, kAnyCount, kRefused, false, "a one-shot command, not a tunnel"},
    {"http-proxy", 1, 4, kHonoured, false, ""},
    {"http-proxy-option", 1, 3, kHonoured, false, ""},
    {"http-proxy-override", 2, 3, kRefused, false, "overriding an HTTP proxy"},
    {"http-proxy-retry", 0, kAnyCount, kHarmless, false, ""},
    {"http-proxy-timeout", 1, 1, kHarmless, false, ""},
    {"http-proxy-user-pass", 1, kAnyCount, kHonoured, true, ""},
    {"ifconfig-pool-linear", 0, 0, kRemoved, false, "write 'topology p2p'", 0, 0},
    {"inetd", 0, 2, kRemoved, false, "start it as a service", 0, 0},
    {"ip-remote-hint", 0, 1, kHarmless, false, ""},
    {"ip-win32", 1, 3, kHarmless, false, "Windows only", 0, 0},
    {"iproute", 1, 1, kRefused, false, "another ip program"},
    {"key-method", 1, 1, kRemoved, false, "remove the line: method 2 is the only one", 0, 0},
    {"management", 2, 3, kRefused, false, "the management interface"},
    {"management-client", 0, 0, kRefused, false, "the management interface"},
    {"management-client-auth", 0, 0, kRefused, false, "the management interface"},
    {"management-client-group", 1, 1, kRefused, false, "the management interface"},
    {"management-client-pf", 0, 0, kRemoved, false, "remove the line", 0, 0},
    {"management-client-user", 1, 1, kRefused, false, "the management interface"},
    {"management-external-cert", 1, 1, kRefused, false, "the management interface"},
    {"management-external-key", 0, kAnyCount, kRefused, false, "the management interface"},
    {"management-forget-disconnect", 0, 0, kRefused, false, "the management interface"},
    {"management-hold", 0, 0, kRefused, false, "the management interface"},
    {"management-log-cache", 1, 1, kRefused, false, "the management interface"},
    {"management-query-passwords", 0, 0, kRefused, false, "the management interface"},
    {"management-query-proxy", 0, 0, kRefused, false, "the management interface"},
    {"management-query-remote", 0, 0, kRefused, false, "the management interface"},
    {"management-signal", 0, 0, kRefused, false, "the management interface"},
    {"management-up-down", 0, 0, kRefused, false, "the management interface"},
    {"mktun", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"msg-channel", 1, kAnyCount, kHarmless, false, "Windows only", 0, 0},
    {"mtu-dynamic", 0, kAnyCount, kRemoved, false, "write 'fragment'", 0, 0},
    {"ncp-disable", 0, 0, kTls, false, "TLS mode", 4, 5},
    {"no-iv", 0, 0, kRemoved, false, "remove the line", 0, 0},
    {"no-name-remapping", 0, 0, kRemoved, false, "remove the line", 0, 0},
    {"parameter", 0, kAnyCount, kRefused, false, "an internal directive of stock"},
    {"pause-exit", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"pkcs11-cert-private", 0, kAnyCount, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-id", 1, 1, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-id-management", 0, 0, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-pin-cache", 1, 1, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-private-mode", 1, kAnyCount, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-protected-authentication", 0, kAnyCount, kRefused, false, "keys on a PKCS#11 token"},
    {"pkcs11-providers", 1, kAnyCount, kRefused, false, "keys on a PKCS#11 token"},
    {"plugin", 1, kAnyCount, kRefused, false, "plugins"},
    {"rdns-internal", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"register-dns", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"rmtun", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"scramble", 1, 2, kRemoved, false, "it belongs to a patched OpenVPN; ask the provider for a config without it", 0, 0},
    {"service", 1, 2, kHarmless, false, "Windows only", 0, 0},
    {"show-adapters", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"show-ciphers", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-curves", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-digests", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-engines", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-gateway", 0, 1, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-groups", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-net", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"show-net-up", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"show-pkcs11-ids", 0, 2, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-tls", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"show-valid-subnets", 0, 0, kHarmless, false, "Windows only", 0, 0},
    {"socks-proxy", 1, 3, kHonoured, false, ""},
    {"tap-sleep", 1, 1, kHarmless, false, "Windows only", 0, 0},
    {"test-crypto", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"tls-remote", 1, 1, kRemoved, false, "write 'verify-x509-name NAME name'", 0, 0},
    {"tun-ipv6", 0, 0, kHarmless, false, ""},
    {"use-prediction-resistance", 0, 0, kHarmless, false, "mbed TLS builds only", 0, 0},
    {"version", 0, 0, kRefused, false, "a one-shot command, not a tunnel"},
    {"win-sys", 1, 1, kHarmless, false, "Windows only", 0, 0},
    {"windows-driver", 1, 1, kHarmless, false, "Windows only", 0, 0},
};
// clang-format on

}  // namespace

std::span<const DirectiveRow> other_rows() { return kRows; }

}  // namespace ovpn
