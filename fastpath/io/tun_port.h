// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"
#include "fastpath/io/packet_port.h"

namespace io {

// A Linux tun device carrying bare IP packets (IFF_TUN, IFF_NO_PI). Used by one worker once made.
class TunPort : public PacketPort {
 public:
  // `name` "tun3" takes or makes that device; "tun" lets the kernel pick a number. Needs
  // CAP_NET_ADMIN, or a persistent device that belongs to this user. The problem says what is in
  // the way.
  static base::Result<std::unique_ptr<TunPort>, OpenProblem> open(const std::string& name);

  const std::string& name() const { return name_; }
  // True if the device was there before and so stays, with what was done to it, when this port
  // goes.
  bool existed() const { return existed_; }

  int readable_fd() const override { return fd_.get(); }
  ReadOutcome read(packet::PacketBatch& batch) override;
  void write(packet::PacketBatch& batch) override;
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  TunPort(base::UniqueFd fd, std::string name, bool existed);

  base::UniqueFd fd_;
  std::string name_;
  bool existed_;
  packet::DropCounters drops_{};
};

}  // namespace io
