// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/tun_port.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "fastpath/packet/checksum.h"

namespace io {
namespace {

// struct virtio_net_hdr of <linux/virtio_net.h>, which C++ cannot include; in the machine's own
// byte order, as a tun device wants it.
struct VnetHeader {
  std::uint8_t flags = 0;
  std::uint8_t gso_type = 0;
  std::uint16_t hdr_len = 0;
  std::uint16_t gso_size = 0;
  std::uint16_t csum_start = 0;
  std::uint16_t csum_offset = 0;
};
static_assert(sizeof(VnetHeader) == 10);
constexpr std::uint8_t kNeedsChecksum = 1;
constexpr std::uint8_t kGsoNone = 0;
constexpr std::uint8_t kGsoTcpv4 = 1;
constexpr std::uint8_t kGsoTcpv6 = 4;
constexpr std::uint8_t kGsoUdp = 5;     // VIRTIO_NET_HDR_GSO_UDP_L4, of either family
constexpr std::uint8_t kGsoEcn = 0x80;  // beside one of TCP's

// Of <linux/if_tun.h> since Linux 6.2; older headers lack them.
constexpr unsigned kTunUso4 = 0x20;
constexpr unsigned kTunUso6 = 0x40;

constexpr const char* kDevice = "/dev/net/tun";
constexpr const char* kContainerFlags =
    "`modprobe tun` on the host; in a container add `--device /dev/net/tun --cap-add NET_ADMIN`";

OpenProblem open_problem(int error) {
  if (error == ENOENT || error == ENODEV || error == ENXIO) {
    return {{{}, "no /dev/net/tun: this machine has no tun devices", kContainerFlags}, true};
  }
  // EPERM is a container's rule about devices; EACCES is the file's mode.
  const std::string remedy =
      error == EACCES ? "`chmod 666 /dev/net/tun` as root: a unit's engine has a user of its own; "
                        "by hand, run as root"
                      : std::string("run as root; ") + kContainerFlags;
  return {{{}, base::errno_text("cannot open /dev/net/tun", error), remedy}, true};
}

OpenProblem attach_problem(const std::string& name, int error) {
  const std::string choose = "choose another name with `dev`";
  if (error == EBUSY) {
    return {{{}, "interface " + name + " is in use by another program", "stop it, or " + choose}};
  }
  if (error == EINVAL) {
    return {{{}, "interface " + name + " exists and is no tun device", choose}};
  }
  if (error == EPERM || error == EACCES) {
    return {{{},
             "no permission to make interface " + name,
             "run as root or with CAP_NET_ADMIN, or make it first: `ip tuntap add " + name +
                 " mode tun user NAME`"},
            true};
  }
  return {{{}, base::errno_text("cannot make interface " + name, error), {}}};
}

// A device that was made with several queues takes only openers that ask for them too.
int attach(int fd, const std::string& pattern, ifreq& request) {
  for (const int extra : {0, IFF_MULTI_QUEUE}) {
    request = {};
    request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | IFF_VNET_HDR | extra);
    pattern.copy(request.ifr_name, IFNAMSIZ - 1);
    if (::ioctl(fd, TUNSETIFF, &request) == 0) return 0;
    if (errno != EINVAL) return errno;
  }
  return EINVAL;
}

// A persistent device may come with the sizes and offloads of its last user. Sets the most that the
// kernel offers: UDP and TCP in large packets, TCP alone, or single packets with complete
// checksums.
int set_offloads(int fd, TunOffload& granted) {
  int header_bytes = sizeof(VnetHeader);
  if (::ioctl(fd, TUNSETVNETHDRSZ, &header_bytes) != 0) return errno;
  constexpr unsigned kTcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;
  constexpr std::array<std::pair<unsigned, TunOffload>, 3> kChoices{{
      {kTcp | kTunUso4 | kTunUso6, TunOffload::kTcpAndUdp},
      {kTcp, TunOffload::kTcp},
      {0U, TunOffload::kNone},
  }};
  for (const auto& [flags, offload] : kChoices) {
    granted = offload;
    if (::ioctl(fd, TUNSETOFFLOAD, flags) == 0) return 0;
  }
  return errno;
}

std::uint8_t gso_type(const packet::SegmentLayout& layout) {
  if (layout.udp()) return kGsoUdp;
  return layout.v4 ? kGsoTcpv4 : kGsoTcpv6;
}

}  // namespace

struct TunPort::Incoming {
  VnetHeader header{};
  std::size_t size = 0;  // 0: none
  std::array<std::uint8_t, 65536> bytes;

  base::MutableByteSpan packet() { return {bytes.data(), size}; }
  bool large() const { return header.gso_type != kGsoNone; }
};

TunPort::TunPort(base::UniqueFd fd, std::string name, bool existed, TunOffload offload)
    : fd_(std::move(fd)),
      name_(std::move(name)),
      existed_(existed),
      offload_(offload),
      incoming_(new Incoming),
      merger_(offload == TunOffload::kTcpAndUdp) {}

TunPort::~TunPort() = default;

base::Result<std::unique_ptr<TunPort>, OpenProblem> TunPort::open(const std::string& name) {
  base::UniqueFd fd(::open(kDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return open_problem(errno);
  const bool any = name == "tun";
  const bool existed = !any && ::if_nametoindex(name.c_str()) != 0;
  ifreq request{};
  if (const int error = attach(fd.get(), any ? "tun%d" : name, request); error != 0) {
    return attach_problem(name, error);
  }
  TunOffload offload = TunOffload::kNone;
  if (const int error = set_offloads(fd.get(), offload); error != 0) {
    return OpenProblem{{{}, base::errno_text("cannot set up interface " + name, error), {}}};
  }
  return std::unique_ptr<TunPort>(new TunPort(std::move(fd), request.ifr_name, existed, offload));
}

std::string TunPort::offloads() const {
  switch (offload_) {
    case TunOffload::kNone:
      return {};
    case TunOffload::kTcp:
      return "tso";
    case TunOffload::kTcpAndUdp:
      return "tso,uso";
  }
  return {};
}

std::unique_ptr<TunPort> TunPort::take_over(base::UniqueFd fd, bool existed) {
  constexpr unsigned kWanted = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  ifreq request{};
  if (!fd || ::ioctl(fd.get(), TUNGETIFF, &request) != 0) return nullptr;
  const auto flags = static_cast<unsigned short>(request.ifr_flags);
  TunOffload offload = TunOffload::kNone;
  if ((flags & kWanted) != kWanted || set_offloads(fd.get(), offload) != 0) return nullptr;
  request.ifr_name[IFNAMSIZ - 1] = '\0';
  return std::unique_ptr<TunPort>(new TunPort(std::move(fd), request.ifr_name, existed, offload));
}

ReadOutcome TunPort::read(packet::PacketBatch& batch) {
  for (;;) {
    hand_out(batch);
    if (batch.full()) return ReadOutcome::kMore;
    if (!receive()) return gone_ ? ReadOutcome::kGone : ReadOutcome::kDrained;
  }
}

bool TunPort::receive() {
  Incoming& in = *incoming_;
  const std::array<iovec, 2> to{iovec{&in.header, sizeof in.header},
                                iovec{in.bytes.data(), in.bytes.size()}};
  const ssize_t got = ::readv(fd_.get(), to.data(), static_cast<int>(to.size()));
  in.size = 0;
  if (got < 0 && errno == EBADFD) gone_ = true;
  if (got < static_cast<ssize_t>(sizeof in.header)) return false;
  in.size = static_cast<std::size_t>(got) - sizeof in.header;
  const bool usable = in.large() ? begin_cutting() : complete_checksum();
  if (!usable) {
    in.size = 0;
    count(drops_, packet::DropReason::kNotIp);
  }
  return true;
}

// Segmentation offload comes with checksum offload (virtio 1.2, 5.1.6.2).
bool TunPort::begin_cutting() {
  const VnetHeader& header = incoming_->header;
  const bool udp = header.gso_type == kGsoUdp;
  const bool tcp =
      (header.gso_type & ~kGsoEcn) == kGsoTcpv4 || (header.gso_type & ~kGsoEcn) == kGsoTcpv6;
  const std::size_t checksum_at = udp ? packet::kUdpChecksumAt : packet::kTcpChecksumAt;
  if ((!udp && !tcp) || (header.flags & kNeedsChecksum) == 0 || header.csum_offset != checksum_at) {
    return false;
  }
  return splitter_.begin(incoming_->packet(),
                         {.protocol = udp ? packet::kProtocolUdp : packet::kProtocolTcp,
                          .transport_at = header.csum_start,
                          .payload_per_piece = header.gso_size});
}

// The kernel leaves the checksum to the device: so far the field holds the pseudo header's sum.
bool TunPort::complete_checksum() {
  Incoming& in = *incoming_;
  if ((in.header.flags & kNeedsChecksum) == 0) return true;
  const std::size_t start = in.header.csum_start;
  const std::size_t field = start + in.header.csum_offset;
  if (field + 2 > in.size) return false;
  const auto covered = in.packet().subspan(start);
  std::uint16_t sum = packet::checksum_finish(packet::checksum_add(0, covered));
  if (in.header.csum_offset == packet::kUdpChecksumAt) sum = packet::udp_checksum(sum);
  base::store_be16(&in.bytes[field], sum);
  return true;
}

void TunPort::hand_out(packet::PacketBatch& batch) {
  Incoming& in = *incoming_;
  while (in.size > 0) {
    packet::Packet* packet = batch.append();
    if (packet == nullptr) return;
    const std::size_t size = in.large() ? splitter_.next_size() : in.size;
    // Somebody raised the interface's MTU behind our back. All pieces of a train are as long, but
    // for the last, which is of no use alone.
    if (size > batch.payload_max()) {
      packet->drop(packet::DropReason::kTooLong);
      count(drops_, packet::DropReason::kTooLong, in.large() ? splitter_.pieces_left() : 1);
      in.size = 0;
      return;
    }
    packet->set_size(size);
    if (in.large()) {
      splitter_.next(packet->bytes());
      if (!splitter_.more()) in.size = 0;
    } else {
      std::copy_n(in.bytes.begin(), size, packet->bytes().begin());
      in.size = 0;
    }
  }
}

void TunPort::write(packet::PacketBatch& batch) {
  std::size_t waiting = 0;
  const auto flush = [&] {
    if (waiting == 1) write_one(*outgoing_[0]);
    if (waiting > 1) write_run(std::span(outgoing_).first(waiting));
    waiting = 0;
  };
  for (packet::Packet& packet : batch.packets()) {
    if (packet.dropped() || packet.swallowed) continue;
    if (waiting > 0 && waiting < outgoing_.size() && merger_.join(packet.bytes())) {
      outgoing_[waiting++] = &packet;
      continue;
    }
    flush();
    if (merger_.begin(packet.bytes())) {
      outgoing_[waiting++] = &packet;
    } else {
      write_one(packet);
    }
  }
  flush();
}

void TunPort::write_one(packet::Packet& packet) {
  VnetHeader header{};
  const std::array<iovec, 2> from{iovec{&header, sizeof header},
                                  iovec{packet.bytes().data(), packet.size()}};
  if (::writev(fd_.get(), from.data(), static_cast<int>(from.size())) >= 0) return;
  packet.drop(packet::DropReason::kTunFailed);
  count(drops_, packet::DropReason::kTunFailed);
}

void TunPort::write_run(std::span<packet::Packet* const> run) {
  merger_.finish();
  const packet::SegmentLayout& layout = merger_.layout();
  VnetHeader header{};
  header.flags = kNeedsChecksum;
  header.gso_type = gso_type(layout);
  header.hdr_len = static_cast<std::uint16_t>(layout.header_bytes());
  header.gso_size = static_cast<std::uint16_t>(merger_.payload_per_packet());
  header.csum_start = static_cast<std::uint16_t>(layout.ip_bytes);
  header.csum_offset = static_cast<std::uint16_t>(layout.checksum_at());
  std::array<iovec, packet::kBatchPackets + 1> from{};
  from[0] = {&header, sizeof header};
  from[1] = {run[0]->bytes().data(), run[0]->size()};
  for (std::size_t i = 1; i < run.size(); ++i) {
    const auto payload = run[i]->bytes().subspan(layout.header_bytes());
    from[i + 1] = {payload.data(), payload.size()};
  }
  if (::writev(fd_.get(), from.data(), static_cast<int>(run.size() + 1)) >= 0) return;
  for (packet::Packet* packet : run) {
    packet->drop(packet::DropReason::kTunFailed);
    count(drops_, packet::DropReason::kTunFailed);
  }
}

}  // namespace io
