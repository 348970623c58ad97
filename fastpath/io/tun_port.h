// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"
#include "fastpath/io/packet_port.h"
#include "fastpath/packet/segment_merge.h"
#include "fastpath/packet/segment_split.h"

struct iovec;

namespace io {

// What a tun device hands over, and takes, in large packets.
enum class TunOffload {
  kNone,
  kTcp,        // TSO
  kTcpAndUdp,  // and USO (Linux 6.2)
};

// A Linux tun device carrying bare IP packets (IFF_TUN, IFF_NO_PI). TCP and UDP come and go in
// packets of up to 64 KiB (IFF_VNET_HDR with TSO and USO, as far as this kernel has them), which
// are cut up and put together here: one pass through the kernel's stack for some forty packets.
// Used by one worker once made.
class TunPort : public PacketPort {
 public:
  // `name` "tun3" takes or makes that device; "tun" lets the kernel pick a number. Needs
  // CAP_NET_ADMIN, or a persistent device that belongs to this user. The problem says what is in
  // the way.
  static base::Result<std::unique_ptr<TunPort>, OpenProblem> open(const std::string& name);
  // A device that another process opened so and left in `fd`; `existed` as that knew it. Nothing:
  // it is no such device, or somebody deleted the interface meanwhile.
  static std::unique_ptr<TunPort> take_over(base::UniqueFd fd, bool existed);
  ~TunPort() override;

  const std::string& name() const { return name_; }
  // True if the device was there before and so stays, with what was done to it, when this port
  // goes.
  bool existed() const { return existed_; }

  int readable_fd() const override { return fd_.get(); }
  ReadOutcome read(packet::PacketBatch& batch) override;
  void write(packet::PacketBatch& batch) override;
  std::string offloads() const override;
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  struct Incoming;
  TunPort(base::UniqueFd fd, std::string name, bool existed, TunOffload offload);

  bool receive();  // false: nothing was waiting, or the device is gone
  bool begin_cutting();
  bool complete_checksum();
  void hand_out(packet::PacketBatch& batch);
  void write_one(packet::Packet& packet);
  void write_run(std::span<packet::Packet* const> run);

  base::UniqueFd fd_;
  const std::string name_;
  const bool existed_;
  const TunOffload offload_;
  packet::DropCounters drops_{};
  bool gone_ = false;                   // somebody deleted the interface
  std::unique_ptr<Incoming> incoming_;  // one packet out of the device, maybe a large one
  packet::SegmentSplitter splitter_;
  packet::SegmentMerger merger_;
  std::array<packet::Packet*, packet::kBatchPackets> outgoing_{};
};

}  // namespace io
