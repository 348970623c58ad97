# SPDX-License-Identifier: Apache-2.0
# libipsec-mb, where it is installed: it is for x86-64, and everything works without it.
option(TUNCTL_MULTI_BUFFER "Use libipsec-mb if it is installed" ON)

set(tunctl_multi_buffer_source crypto/multi_buffer_none.cc)
set(tunctl_multi_buffer_libraries)
if(TUNCTL_MULTI_BUFFER AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  find_path(IPSEC_MB_HEADERS intel-ipsec-mb.h)
  find_library(IPSEC_MB_LIBRARY IPSec_MB)
  mark_as_advanced(IPSEC_MB_HEADERS IPSEC_MB_LIBRARY)
  if(IPSEC_MB_HEADERS AND IPSEC_MB_LIBRARY)
    set(tunctl_multi_buffer_source crypto/multi_buffer_ipsec.cc)
    set(tunctl_multi_buffer_libraries ${IPSEC_MB_LIBRARY})
  endif()
endif()
