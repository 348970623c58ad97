# SPDX-License-Identifier: Apache-2.0
# Where files that are no programs go. systemd reads units of the admin's own installs from /etc, of
# packages from below /usr; any other prefix is a trial and keeps everything to itself.
include(GNUInstallDirs)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr/local")
  set(TUNCTL_UNIT_DIR /etc/systemd/system)
  set(TUNCTL_NETWORKD_DIR /etc/systemd/network)
  set(TUNCTL_NETWORKMANAGER_DIR /etc/NetworkManager/conf.d)
else()
  set(TUNCTL_UNIT_DIR ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
  set(TUNCTL_NETWORKD_DIR ${CMAKE_INSTALL_PREFIX}/lib/systemd/network)
  set(TUNCTL_NETWORKMANAGER_DIR ${CMAKE_INSTALL_PREFIX}/lib/NetworkManager/conf.d)
endif()
