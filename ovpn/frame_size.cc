// SPDX-License-Identifier: Apache-2.0
#include "ovpn/frame_size.h"

#include <algorithm>

namespace ovpn {
namespace {

constexpr int kTcpLengthBytes = 2;
constexpr int kIpv4HeaderBytes = 20;
constexpr int kIpv6HeaderBytes = 40;
constexpr int kUdpHeaderBytes = 8;
constexpr int kTcpHeaderBytes = 20;

int packet_id_bytes(const FrameShape& shape) { return shape.packet_id ? shape.packet_id_bytes : 0; }

int ip_header_bytes(base::IpFamily family) {
  return family == base::IpFamily::kIpv4 ? kIpv4HeaderBytes : kIpv6HeaderBytes;
}

int outer_header_bytes(base::IpFamily family, bool tcp) {
  return ip_header_bytes(family) + (tcp ? kTcpHeaderBytes : kUdpHeaderBytes);
}

}  // namespace

int header_bytes(const FrameShape& shape) {
  const int length = shape.tcp ? kTcpLengthBytes : 0;
  const int packet_id = shape.block_bytes > 0 ? 0 : packet_id_bytes(shape);
  return length + shape.opcode_bytes + shape.digest_bytes + shape.block_bytes + shape.tag_bytes +
         packet_id;
}

int payload_overhead_bytes(const FrameShape& shape) {
  const int fragment = shape.fragment ? kFragmentHeaderBytes : 0;
  const int packet_id = shape.block_bytes > 0 ? packet_id_bytes(shape) : 0;
  return shape.framing_bytes + fragment + packet_id;
}

int wire_bytes(const FrameShape& shape, int payload_bytes) {
  const int inside = payload_overhead_bytes(shape) + payload_bytes;
  if (shape.block_bytes == 0) return header_bytes(shape) + inside;
  // PKCS#7 always adds one to block_bytes bytes.
  return header_bytes(shape) + (inside / shape.block_bytes + 1) * shape.block_bytes;
}

int fragment_bytes_max(const FrameShape& shape, int n, const base::IpFamily* outer) {
  int target = n - header_bytes(shape);
  if (outer != nullptr) target -= outer_header_bytes(*outer, shape.tcp);
  if (shape.block_bytes > 0) {
    target = target / shape.block_bytes * shape.block_bytes - 1 - packet_id_bytes(shape);
  }
  return target - kFragmentHeaderBytes;
}

int occ_link_mtu(const FrameShape& shape, int tun_mtu) {
  // Stock counts one block more than it sends at most.
  return tun_mtu + payload_overhead_bytes(shape) + header_bytes(shape) + shape.block_bytes;
}

std::optional<MssfixRule::Meaning> mssfix_meaning(std::string_view word) {
  if (word.empty()) return MssfixRule::Meaning::kPayload;
  if (word == "mtu") return MssfixRule::Meaning::kMtu;
  if (word == "fixed") return MssfixRule::Meaning::kFixed;
  return std::nullopt;
}

MssfixRule default_mssfix(int tun_mtu) {
  if (tun_mtu == kTunMtuDefault) return {1492, MssfixRule::Meaning::kMtu};
  return {tun_mtu, MssfixRule::Meaning::kFixed};
}

int mssfix_mss(const FrameShape& shape, const MssfixRule& rule, base::IpFamily outer,
               base::IpFamily inner) {
  if (rule.bytes <= 0) return 0;
  const int inner_headers = ip_header_bytes(inner) + kTcpHeaderBytes;
  if (rule.meaning == MssfixRule::Meaning::kFixed) return std::max(rule.bytes - inner_headers, 0);
  int target = rule.bytes - header_bytes(shape);
  if (rule.meaning == MssfixRule::Meaning::kMtu) {
    target -= outer_header_bytes(outer, shape.tcp);
  }
  if (shape.block_bytes > 0) target = target / shape.block_bytes * shape.block_bytes - 1;
  return std::max(target - payload_overhead_bytes(shape) - inner_headers, 0);
}

}  // namespace ovpn
