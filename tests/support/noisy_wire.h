// SPDX-License-Identifier: Apache-2.0
// A network between tests: loses, repeats, reorders, damages and cuts datagrams as a seed says, on
// a clock that moves only when told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/time.h"

namespace support {

struct Weather {
  // Of a thousand datagrams.
  int lost = 0, repeated = 0, damaged = 0, cut = 0;
  // Each takes this long; a wide span reorders.
  base::Duration delay_min{std::chrono::milliseconds(1)};
  base::Duration delay_max{std::chrono::milliseconds(1)};
};

struct Datagram {
  base::Endpoint from, to;
  base::Bytes bytes;
  std::uint64_t number = 0;  // as the sender numbered it; copies share it
  bool intact = true;
};

class NoisyWire {
 public:
  explicit NoisyWire(std::uint64_t seed) : random_(seed) {}

  void set_weather(const Weather& weather) { weather_ = weather; }

  void send(base::TimePoint now, const Datagram& datagram) {
    const int copies = one_of_thousand(weather_.repeated) ? 2 : 1;
    for (int copy = 0; copy < copies; ++copy) {
      if (one_of_thousand(weather_.lost)) continue;
      Datagram sent = datagram;
      if (one_of_thousand(weather_.damaged)) damage(sent);
      if (one_of_thousand(weather_.cut)) cut(sent);
      under_way_.emplace(now + delay(), std::move(sent));
    }
  }
  std::optional<base::TimePoint> next_arrival() const {
    if (under_way_.empty()) return std::nullopt;
    return under_way_.begin()->first;
  }
  // The next datagram that is there by `now`.
  std::optional<Datagram> receive(base::TimePoint now) {
    if (under_way_.empty() || under_way_.begin()->first > now) return std::nullopt;
    Datagram datagram = std::move(under_way_.begin()->second);
    under_way_.erase(under_way_.begin());
    return datagram;
  }

 private:
  bool one_of_thousand(int chance) { return static_cast<int>(random_() % 1000) < chance; }

  void damage(Datagram& datagram) {
    if (datagram.bytes.empty()) return;
    datagram.bytes[random_() % datagram.bytes.size()] ^=
        static_cast<std::uint8_t>(1 + random_() % 255);
    datagram.intact = false;
  }
  void cut(Datagram& datagram) {
    if (datagram.bytes.empty()) return;
    datagram.bytes.resize(random_() % datagram.bytes.size());
    datagram.intact = false;
  }
  base::Duration delay() {
    const auto span = static_cast<std::uint64_t>((weather_.delay_max - weather_.delay_min).count());
    return weather_.delay_min + base::Duration(static_cast<std::int64_t>(random_() % (span + 1)));
  }

  std::mt19937_64 random_;
  Weather weather_;
  std::multimap<base::TimePoint, Datagram> under_way_;
};

}  // namespace support
