// SPDX-License-Identifier: Apache-2.0
// Small UDP packets at a given rate, and how many of them arrive.
//   udp_rate receive ADDRESS PORT                        prints the count since the last line read
//                                                        from standard input, at each line
//   udp_rate send ADDRESS PORT BYTES RATE MILLISECONDS   RATE in packets per second; prints how
//                                                        many it sent
// The receiver counts and looks at nothing; the sender keeps the rate in bursts of a tenth of a
// millisecond, as a busy line does.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kAtOnce = 64;
constexpr int kBufferBytes = 8 << 20;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in address_of(const char* text, const char* port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  if (::inet_pton(AF_INET, text, &address.sin_addr) != 1) fail(text);
  return address;
}

int open_socket() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  for (const int option : {SO_RCVBUFFORCE, SO_SNDBUFFORCE}) {
    ::setsockopt(fd, SOL_SOCKET, option, &kBufferBytes, sizeof kBufferBytes);
  }
  return fd;
}

// A batch of messages of one size, whose bytes nobody reads.
class Messages {
 public:
  explicit Messages(std::size_t bytes) : bytes_(kAtOnce * bytes) {
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      parts_[i] = {bytes_.data() + i * bytes, bytes};
      messages_[i].msg_hdr.msg_iov = &parts_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
  }
  mmsghdr* data() { return messages_.data(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::array<iovec, kAtOnce> parts_{};
  std::array<mmsghdr, kAtOnce> messages_{};
};

int receive(const char* address, const char* port) {
  const int fd = open_socket();
  const sockaddr_in here = address_of(address, port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) fail("bind");
  Messages messages(2048);
  std::uint64_t count = 0;
  std::array<pollfd, 2> ready{{{fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  std::puts("ready");
  std::fflush(stdout);
  for (;;) {
    if (::poll(ready.data(), ready.size(), -1) < 0) fail("poll");
    if ((ready[0].revents & POLLIN) != 0) {
      const int got = ::recvmmsg(fd, messages.data(), kAtOnce, MSG_DONTWAIT, nullptr);
      if (got > 0) count += static_cast<std::uint64_t>(got);
      continue;  // whoever asks is answered when the queue is empty
    }
    if (ready[1].revents == 0) continue;
    char line = 0;
    if (::read(STDIN_FILENO, &line, 1) != 1) return 0;
    std::printf("%llu\n", static_cast<unsigned long long>(count));
    std::fflush(stdout);
    count = 0;
  }
}

int send(const char* address, const char* port, std::size_t bytes, double rate, int milliseconds) {
  const int fd = open_socket();
  const sockaddr_in there = address_of(address, port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) fail("connect");
  Messages messages(bytes);
  const auto start = Clock::now();
  const auto end = start + std::chrono::milliseconds(milliseconds);
  std::uint64_t sent = 0;
  for (auto now = start; now < end; now = Clock::now()) {
    const double due = rate * std::chrono::duration<double>(now - start).count();
    if (static_cast<double>(sent) >= due) {
      const timespec rest{0, 100'000};
      ::nanosleep(&rest, nullptr);
      continue;
    }
    const auto wanted = static_cast<std::uint64_t>(due) - sent + 1;
    const auto now_sent = ::sendmmsg(
        fd, messages.data(), static_cast<unsigned>(std::min<std::uint64_t>(wanted, kAtOnce)), 0);
    if (now_sent > 0) sent += static_cast<std::uint64_t>(now_sent);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sent));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "receive" && argc == 4) return receive(argv[2], argv[3]);
  if (verb == "send" && argc == 7) {
    return send(argv[2], argv[3], static_cast<std::size_t>(std::atoi(argv[4])), std::atof(argv[5]),
                std::atoi(argv[6]));
  }
  std::fputs("usage: udp_rate receive ADDRESS PORT | send ADDRESS PORT BYTES RATE MILLISECONDS\n",
             stderr);
  return 2;
}
