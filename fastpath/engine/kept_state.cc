// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/kept_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/secret_bytes.h"
#include "base/sha256.h"

namespace engine {
namespace {

constexpr std::string_view kMagic = "TUNCTLkp";
constexpr std::size_t kNumberBytes = 8, kLengthBytes = 4, kSumBytes = 32;
constexpr std::size_t kSumAt = kNumberBytes + kLengthBytes;
constexpr std::size_t kPayloadAt = kSumAt + kSumBytes;
constexpr std::size_t kPayloadMax = kKeptSlotBytes - kPayloadAt;
// What is read is of our own making or hostile; neither needs more.
constexpr std::uint32_t kListMax = 16384;
constexpr std::size_t kIpv4Bytes = 4, kIpv6Bytes = 16;

// The payload's fields in order, the same for writing and reading. Texts and lists have their
// length in front.
template <typename Way, typename Value>
void endpoint_fields(Way& way, Value& endpoint) {
  way.field(endpoint.address);
  way.field(endpoint.port);
}

template <typename Way, typename Value>
void device_fields(Way& way, Value& device) {
  way.field(device.name);
  way.field(device.existed);
  way.field(device.routes_up);
  way.field(device.remote);
  way.field(device.standing);
}

template <typename Way, typename Value>
void state_fields(Way& way, Value& state) {
  way.field(state.config);
  way.field(state.unheard);
  way.field(state.device);
  way.field(state.remote_host);
  way.field(state.remote_port);
  way.field(state.targets);
  way.field(state.peer);
  way.field(state.pushed);
  way.field(state.token_user);
  way.field(state.token);
}

class Writing {
 public:
  explicit Writing(base::MutableByteSpan to) : writer_(to) {}

  void field(const ConfigHash& hash) { writer_.bytes(hash); }
  void field(bool value) { writer_.u8(value ? 1 : 0); }
  void field(std::uint64_t value) { writer_.be64(value); }
  void field(std::uint16_t value) { writer_.be16(value); }
  void field(const std::string& text) {
    writer_.be32(static_cast<std::uint32_t>(text.size()));
    writer_.bytes(base::as_bytes(text));
  }
  void field(const base::IpAddress& address) {
    field(address.is_v4());
    writer_.bytes(address.bytes());
  }
  template <typename T>
  void field(const std::optional<T>& value) {
    field(value.has_value());
    if (value) field(*value);
  }
  template <typename T>
  void field(const std::vector<T>& list) {
    writer_.be32(static_cast<std::uint32_t>(list.size()));
    for (const T& each : list) field(each);
  }
  void field(const base::Endpoint& endpoint) { endpoint_fields(*this, endpoint); }
  void field(const KeptDevice& device) { device_fields(*this, device); }
  std::optional<std::size_t> size() const {
    return writer_.ok() ? std::optional(writer_.size()) : std::nullopt;
  }

 private:
  base::ByteWriter writer_;
};

class Reading {
 public:
  explicit Reading(base::ByteSpan from) : reader_(from) {}

  void field(ConfigHash& hash) {
    if (const auto bytes = taken(hash.size())) std::ranges::copy(*bytes, hash.begin());
  }
  void field(bool& value) {
    const auto byte = reader_.u8();
    good_ = good_ && byte && *byte <= 1;
    value = byte == 1;
  }
  void field(std::uint64_t& value) { value = reader_.be64().value_or(0); }
  void field(std::uint16_t& value) { value = reader_.be16().value_or(0); }
  void field(std::string& text) {
    if (const auto bytes = taken(reader_.be32().value_or(0))) text = base::as_text(*bytes);
  }
  void field(base::IpAddress& address) {
    bool v4 = false;
    field(v4);
    const auto bytes = taken(v4 ? kIpv4Bytes : kIpv6Bytes);
    if (bytes) address = base::IpAddress::from_bytes(*bytes);
  }
  template <typename T>
  void field(std::optional<T>& value) {
    bool given = false;
    field(given);
    if (given && ok()) field(value.emplace());
  }
  template <typename T>
  void field(std::vector<T>& list) {
    const std::uint32_t count = reader_.be32().value_or(0);
    good_ = good_ && count <= kListMax;
    for (std::uint32_t i = 0; i < count && ok(); ++i) field(list.emplace_back());
  }
  void field(base::Endpoint& endpoint) { endpoint_fields(*this, endpoint); }
  void field(KeptDevice& device) { device_fields(*this, device); }

  bool ok() const { return good_ && reader_.ok(); }
  bool at_end() const { return ok() && reader_.rest().empty(); }

 private:
  std::optional<base::ByteSpan> taken(std::size_t count) {
    return ok() ? reader_.bytes(count) : std::nullopt;
  }

  base::ByteReader reader_;
  bool good_ = true;
};

base::ByteSpan slot(base::ByteSpan memory, std::size_t index) {
  return memory.subspan(kKeptHeadBytes + index * kKeptSlotBytes, kKeptSlotBytes);
}

struct Slot {
  std::uint64_t number = 0;
  base::ByteSpan payload;
};

std::array<std::uint8_t, kSumBytes> sum_of(base::ByteSpan head, base::ByteSpan payload) {
  base::SecretBytes text(head.size() + payload.size());
  std::ranges::copy(head, text.mutable_view().begin());
  std::ranges::copy(payload,
                    text.mutable_view().begin() + static_cast<std::ptrdiff_t>(head.size()));
  return base::sha256(text.view());
}

// Nothing: never written, or torn.
std::optional<Slot> whole(base::ByteSpan bytes) {
  const std::uint32_t length = base::load_be32(&bytes[kNumberBytes]);
  if (length > kPayloadMax) return std::nullopt;
  const Slot found{base::load_be64(bytes.data()), bytes.subspan(kPayloadAt, length)};
  if (found.number == 0) return std::nullopt;
  const auto sum = sum_of(bytes.first(kSumAt), found.payload);
  if (!std::ranges::equal(sum, bytes.subspan(kSumAt, kSumBytes))) return std::nullopt;
  return found;
}

}  // namespace

void write_kept_head(base::MutableByteSpan memory) {
  base::ByteWriter head(memory.first(kKeptHeadBytes));
  head.bytes(base::as_bytes(kMagic));
  head.be32(kKeptVersion);
  head.be32(kKeptBytes);
}

bool write_kept(base::MutableByteSpan memory, const KeptState& state) {
  const auto first = whole(slot(memory, 0)), second = whole(slot(memory, 1));
  const bool to_second = first && (!second || second->number < first->number);
  const std::uint64_t number = std::max(first ? first->number : 0, second ? second->number : 0) + 1;
  base::SecretBytes bytes(kKeptSlotBytes);
  const base::MutableByteSpan to = bytes.mutable_view();
  Writing payload(to.subspan(kPayloadAt));
  state_fields(payload, state);
  const auto length = payload.size();
  if (!length) return false;
  base::store_be64(to.data(), number);
  base::store_be32(&to[kNumberBytes], static_cast<std::uint32_t>(*length));
  std::ranges::copy(sum_of(to.first(kSumAt), to.subspan(kPayloadAt, *length)), &to[kSumAt]);
  // What was longer before may have held a token: zeros stand in its place.
  const auto& before = to_second ? second : first;
  const std::size_t changed = std::max(*length, before ? before->payload.size() : 0);
  std::copy_n(to.begin(), kPayloadAt + changed,
              memory.begin() +
                  static_cast<std::ptrdiff_t>(kKeptHeadBytes + (to_second ? kKeptSlotBytes : 0)));
  return true;
}

base::Result<Kept, std::string> read_kept(base::ByteSpan memory) {
  if (memory.size() != kKeptBytes) return std::string("it has another size");
  if (base::as_text(memory.first(kMagic.size())) != kMagic) {
    return std::string("it is of another program");
  }
  if (base::load_be32(&memory[8]) != kKeptVersion || base::load_be32(&memory[12]) != kKeptBytes) {
    return std::string("it is of another version");
  }
  const auto first = whole(slot(memory, 0)), second = whole(slot(memory, 1));
  if (!first && !second) return std::string("it holds no whole state");
  const Slot& newest = first && (!second || second->number < first->number) ? *first : *second;
  Kept kept;
  Reading reading(newest.payload);
  state_fields(reading, kept.state);
  if (!reading.at_end()) return std::string("its state makes no sense");
  kept.packet_time = base::load_be64(&memory[kPacketTimeAt]);
  kept.received = base::load_be64(&memory[kReceivedAt]);
  kept.barred = base::load_be64(&memory[kBarredAt]);
  return kept;
}

}  // namespace engine
