# SPDX-License-Identifier: Apache-2.0
# Where files that are no programs go. systemd reads units of the admin's own installs from /etc, of
# packages from below /usr; any other prefix is a trial and keeps everything to itself.
include(GNUInstallDirs)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr/local")
  set(TUNCTL_UNIT_DIR /etc/systemd/system)
  set(TUNCTL_NETWORKD_DIR /etc/systemd/network)
  set(TUNCTL_UDEV_RULES_DIR /etc/udev/rules.d)
  set(TUNCTL_TMPFILES_DIR /etc/tmpfiles.d)
  set(TUNCTL_SYSUSERS_DIR /etc/sysusers.d)
  set(TUNCTL_POLKIT_RULES_DIR /etc/polkit-1/rules.d)
else()
  set(TUNCTL_UNIT_DIR ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
  set(TUNCTL_NETWORKD_DIR ${CMAKE_INSTALL_PREFIX}/lib/systemd/network)
  set(TUNCTL_UDEV_RULES_DIR ${CMAKE_INSTALL_PREFIX}/lib/udev/rules.d)
  set(TUNCTL_TMPFILES_DIR ${CMAKE_INSTALL_PREFIX}/lib/tmpfiles.d)
  set(TUNCTL_SYSUSERS_DIR ${CMAKE_INSTALL_PREFIX}/lib/sysusers.d)
  set(TUNCTL_POLKIT_RULES_DIR ${CMAKE_INSTALL_PREFIX}/share/polkit-1/rules.d)
endif()
