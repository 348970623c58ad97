// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/last_peer.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace engine {
namespace {

constexpr std::size_t kFileBytesMax = 128;

}  // namespace

LastPeer::LastPeer(std::string file, const base::Log& log)
    : file_(std::move(file)), log_(log), saved_(read()) {}

std::optional<base::TimePoint> LastPeer::heard_at(const base::Endpoint& peer, base::TimePoint now) {
  if (saved_ == peer || file_.empty()) return std::nullopt;
  if (written_ && now - *written_ < kWriteInterval) return *written_ + kWriteInterval;
  written_ = now;
  saved_ = peer;
  const std::string failure = base::write_file_atomically(
      file_, peer.address.to_string() + " " + std::to_string(peer.port) + "\n", 0600);
  if (!failure.empty()) log_.info("where the peer was heard is not kept: " + failure);
  return std::nullopt;
}

std::optional<base::Endpoint> LastPeer::read() const {
  if (file_.empty()) return std::nullopt;
  const auto bytes = base::read_file(file_, kFileBytesMax);
  if (!bytes) return std::nullopt;
  const auto words = base::split_words(*bytes);
  if (words.size() != 2) return std::nullopt;
  const auto address = base::IpAddress::parse(words[0]);
  const auto port = base::parse_number<std::uint16_t>(words[1]);
  if (!address || !port || *port == 0) return std::nullopt;
  return base::Endpoint{address->unmapped(), *port};
}

}  // namespace engine
