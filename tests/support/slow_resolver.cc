// SPDX-License-Identifier: Apache-2.0
// Preloaded into an engine, it answers for slow.invalid: 127.0.0.9, after two seconds; and for
// ipv4only.arpa with the address that TEST_NAT64 holds, where there is one.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto real =
      reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const char* nat64 = std::getenv("TEST_NAT64");
  if (nat64 != nullptr && node != nullptr && std::strcmp(node, "ipv4only.arpa") == 0) {
    if ((hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
    return real(nat64, service, hints, result);
  }
  if (node == nullptr || std::strcmp(node, "slow.invalid") != 0) {
    return real(node, service, hints, result);
  }
  if ((hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
  ::sleep(2);
  return real("127.0.0.9", service, hints, result);
}
