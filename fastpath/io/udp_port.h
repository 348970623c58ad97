// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/ip.h"
#include "base/unique_fd.h"
#include "fastpath/io/bound_socket.h"
#include "fastpath/io/packet_port.h"

namespace io {

struct UdpSettings : SocketWishes {
  std::optional<int> mtu_disc;  // IP_MTU_DISCOVER's value (ip(7))
};

// Large enough to ride out some milliseconds of a busy CPU at a gigabit.
inline constexpr int kUdpBufferBytes = 2 << 20;

// One unconnected UDP socket: datagrams come and go in trains (UDP_GRO, UDP_SEGMENT) where the
// kernel has them. ICMP errors never reach it. Used by one worker once made.
class UdpPort : public PacketPort {
 public:
  // The problem says what is in the way: port taken, address not here, no permission.
  static base::Result<std::unique_ptr<UdpPort>, OpenProblem> open(const UdpSettings& settings);
  // A socket that open() of another process made for the same settings. Nothing: it is another kind
  // of descriptor, or of another family or port.
  static std::unique_ptr<UdpPort> take_over(base::UniqueFd fd, const UdpSettings& settings);
  ~UdpPort() override;

  std::uint16_t local_port() const;
  // Whether it can send to addresses of this family.
  bool reaches(base::IpFamily family) const { return family == family_ || dual_stack_; }
  int rcvbuf_bytes() const;  // what the kernel granted
  int sndbuf_bytes() const;
  // Later wishes, in bytes, up to kUdpBufferBytes; 0 leaves one as it is. While a worker runs, too.
  void set_buffers(int sndbuf_bytes, int rcvbuf_bytes);

  int readable_fd() const override { return fd_.get(); }
  ReadOutcome read(packet::PacketBatch& batch) override;
  void write(packet::PacketBatch& batch) override;
  std::string offloads() const override;
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  class Receiver;
  class Sender;
  UdpPort(base::UniqueFd fd, const UdpSettings& settings);

  base::UniqueFd fd_;
  const base::IpFamily family_;
  const bool dual_stack_;
  packet::DropCounters drops_{};
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<Sender> sender_;
};

}  // namespace io
