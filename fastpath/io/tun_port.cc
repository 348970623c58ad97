// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/tun_port.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace io {
namespace {

constexpr const char* kDevice = "/dev/net/tun";
constexpr const char* kContainerFlags =
    "`modprobe tun` on the host; in a container add `--device /dev/net/tun --cap-add NET_ADMIN`";

OpenProblem open_problem(int error) {
  if (error == ENOENT || error == ENODEV || error == ENXIO) {
    return {{{}, "no /dev/net/tun: this machine has no tun devices", kContainerFlags}, true};
  }
  return {{{}, base::errno_text(std::string("cannot open ") + kDevice, error), kContainerFlags},
          true};
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
    request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | extra);
    pattern.copy(request.ifr_name, IFNAMSIZ - 1);
    if (::ioctl(fd, TUNSETIFF, &request) == 0) return 0;
    if (errno != EINVAL) return errno;
  }
  return EINVAL;
}

}  // namespace

TunPort::TunPort(base::UniqueFd fd, std::string name, bool existed)
    : fd_(std::move(fd)), name_(std::move(name)), existed_(existed) {}

base::Result<std::unique_ptr<TunPort>, OpenProblem> TunPort::open(const std::string& name) {
  base::UniqueFd fd(::open(kDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return open_problem(errno);
  const bool any = name == "tun";
  const bool existed = !any && ::if_nametoindex(name.c_str()) != 0;
  ifreq request{};
  if (const int error = attach(fd.get(), any ? "tun%d" : name, request); error != 0) {
    return attach_problem(name, error);
  }
  return std::unique_ptr<TunPort>(new TunPort(std::move(fd), request.ifr_name, existed));
}

ReadOutcome TunPort::read(packet::PacketBatch& batch) {
  while (packet::Packet* packet = batch.append()) {
    const auto space = packet->fill_space();
    const ssize_t got = ::read(fd_.get(), space.data(), space.size());
    if (got <= 0) {
      batch.take_back();
      return ReadOutcome::kDrained;
    }
    packet->set_size(static_cast<std::size_t>(got));
    // Somebody raised the interface's MTU behind our back; the rest of this packet is lost.
    if (packet->size() > batch.payload_max()) {
      packet->drop(packet::DropReason::kTooLong);
      count(drops_, packet::DropReason::kTooLong);
    }
  }
  return ReadOutcome::kMore;
}

void TunPort::write(packet::PacketBatch& batch) {
  for (packet::Packet& packet : batch.packets()) {
    if (packet.dropped() || packet.swallowed) continue;
    if (::write(fd_.get(), packet.bytes().data(), packet.size()) >= 0) continue;
    packet.drop(packet::DropReason::kTunFailed);
    count(drops_, packet::DropReason::kTunFailed);
  }
}

}  // namespace io
