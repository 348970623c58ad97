// SPDX-License-Identifier: Apache-2.0
// Preloaded into an engine, it answers for slow.invalid: 127.0.0.9, after two seconds.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <cstring>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto real =
      reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node == nullptr || std::strcmp(node, "slow.invalid") != 0) {
    return real(node, service, hints, result);
  }
  if ((hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
  ::sleep(2);
  return real("127.0.0.9", service, hints, result);
}
