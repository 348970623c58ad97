// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/epoch_schedule.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "fastpath/crypto/hmac_digest.h"

namespace data {
namespace {

constexpr std::string_view kPrefix = "ovpn ";

// Length of what is wanted, label with its length, empty context; then the number of the block,
// which is always the first: SHA-256 gives all that is ever wanted at once.
base::Bytes info_of(std::string_view label, std::size_t bytes) {
  base::Bytes info(2);
  base::store_be16(info.data(), static_cast<std::uint16_t>(bytes));
  info.push_back(static_cast<std::uint8_t>(kPrefix.size() + label.size()));
  info.insert(info.end(), kPrefix.begin(), kPrefix.end());
  info.insert(info.end(), label.begin(), label.end());
  info.push_back(0);
  info.push_back(1);
  return info;
}

}  // namespace

base::SecretBytes expand_label(crypto::Library& library, base::ByteSpan secret,
                               std::string_view label, std::size_t bytes) {
  crypto::HmacDigest hmac(library, "SHA256", secret);
  base::SecretBytes block(hmac.size());
  if (bytes > block.size() || !hmac.compute(info_of(label, bytes), block.mutable_view())) {
    throw base::FatalError("the crypto library failed to derive an epoch's keys");
  }
  return base::SecretBytes(block.view().first(bytes));
}

EpochSchedule::EpochSchedule(crypto::Library& library, base::ByteSpan first_secret,
                             std::uint16_t first)
    : library_(library), secret_(first_secret.first(kEpochSecretBytes)), epoch_(first) {}

void EpochSchedule::advance() {
  secret_ = expand_label(library_, secret_.view(), "datakey upd", kEpochSecretBytes);
  ++epoch_;
}

EpochSchedule::Material EpochSchedule::material(std::size_t key_bytes) const {
  return {expand_label(library_, secret_.view(), "data_key", key_bytes),
          expand_label(library_, secret_.view(), "data_iv", wire::kNonceBytes)};
}

}  // namespace data
