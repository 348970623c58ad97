// SPDX-License-Identifier: Apache-2.0
#include "supervisor/pki/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supervisor/pki/make.h"

namespace pki {
namespace {

constexpr base::UnixSeconds kNow = 1764500000;

// Made by openssl(1), which printed the fingerprint: valid from 2024-03-01 to 2024-03-02.
constexpr const char* kExpired =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBBDCBqgIBATAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANvbGQwHhcNMjQwMzAx\n"
    "MDAwMDAwWhcNMjQwMzAyMDAwMDAwWjAOMQwwCgYDVQQDDANvbGQwWTATBgcqhkjO\n"
    "PQIBBggqhkjOPQMBBwNCAAQ9Ve8kWdryPilCjN76NEzM2urr1dgy5eGOWVhj/oGi\n"
    "EFe43z7sE5nsQxHPZnq3nxscZ5+sWg3tRH9ASCbhzFhUMAoGCCqGSM49BAMCA0kA\n"
    "MEYCIQCwpNLcvlWRJzmdxOGV/TEHJ+4nRsSfB7ZQY4pjdlic6gIhANVHA0AsJVIx\n"
    "BczQOhMYH6SkW4RpFvvQr+p2cAfEJEfz\n"
    "-----END CERTIFICATE-----\n";
constexpr const char* kExpiredFingerprint =
    "95:24:3B:DE:D6:22:2C:42:A9:23:2E:6B:48:3F:F4:5C:ED:AE:9D:3D:C9:FD:99:76:22:8F:BC:8D:47:88:6E:"
    "12";
// Of openssl(1) as well; its passphrase is x.
constexpr const char* kEncryptedKey =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhJtypgYQ767wICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBTbJwkEjQauQ+LEsNIpCJUEQMkK\n"
    "GCg+eaDUhEYGrktPnGf4CU6/e5quCPdm/do/Q1CmoHasEWHjq83iAldWAbh5jrxc\n"
    "g+/1eA60+48YtOBlZLo=\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

std::string certificate_for(const std::string& key) {
  auto made = make_certificate("k", key, "site-a");
  EXPECT_TRUE(made) << base::to_string(made.error());
  return made ? *made : "";
}

TEST(Certificate, OfAFreshKeyIsGoodForEver) {
  const std::string key = make_key();
  EXPECT_TRUE(key.starts_with("-----BEGIN PRIVATE KEY-----\n")) << key.substr(0, 30);
  const std::string text = certificate_for(key);
  const auto certificate = read_certificate("f", text);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->subject, "CN = site-a");
  EXPECT_EQ(certificate->fingerprint.size(), 95u);
  EXPECT_EQ(certificate->not_before, 946684800);
  EXPECT_EQ(certificate->not_after, 253402300799);
  EXPECT_EQ(validity_trouble(*certificate, kNow), "");
  EXPECT_EQ(validity_trouble(*certificate, 0),
            "certificate CN = site-a is valid only from "
            "2000-01-01 on, and the clock here says 1970-01-01");
  EXPECT_FALSE(key_trouble("k", key, text));
}

TEST(Certificate, OfAListEachHasItsLine) {
  const std::string own = certificate_for(make_key());
  const auto list = read_certificates("subject=a\n" + own + "\n" + kExpired);
  ASSERT_EQ(list.certificates.size(), 2u);
  EXPECT_EQ(list.certificates[0].line, 2u);
  EXPECT_EQ(list.certificates[0].digest, "SHA256");
  EXPECT_FALSE(list.certificates[0].weak_digest);
  EXPECT_TRUE(list.certificates[0].names_itself);
  EXPECT_EQ(list.certificates[0].rsa_bits, 0);
  EXPECT_EQ(list.certificates[0].key_security_bits, 128);
  EXPECT_EQ(list.certificates[1].fingerprint, kExpiredFingerprint);
  EXPECT_EQ(list.certificates[1].line,
            3u + static_cast<unsigned>(std::count(own.begin(), own.end(), '\n')));
  EXPECT_EQ(list.damaged_line, 0u);
}

TEST(Certificate, AListEndsAtADamagedOne) {
  std::string damaged = kExpired;
  damaged.erase(60, 10);
  const auto list = read_certificates(kExpired + damaged + kExpired);
  EXPECT_EQ(list.certificates.size(), 1u);
  EXPECT_EQ(list.damaged_line, 9u);
  EXPECT_TRUE(read_certificates("").certificates.empty());
  EXPECT_TRUE(read_certificates("-----BEGIN CERTIFICATE-----\n").certificates.empty());
  const std::string whole = kExpired;
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_TRUE(read_certificates(whole.substr(0, size)).certificates.empty()) << size;
  }
}

TEST(Certificate, IsAnotherOneEachTime) {
  const std::string key = make_key();
  EXPECT_NE(make_key(), key);
  EXPECT_NE(certificate_for(key), certificate_for(key));
}

TEST(Certificate, IsReadAsOpensslPrintsIt) {
  const auto certificate = read_certificate("f", kExpired);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->fingerprint, kExpiredFingerprint);
  EXPECT_EQ(certificate->not_after, 1709337600);
  EXPECT_EQ(validity_trouble(*certificate, kNow), "certificate CN = old expired on 2024-03-02");
  EXPECT_EQ(validity_trouble(*certificate, 1709337600), "");
  EXPECT_NE(validity_trouble(*certificate, 1709337601), "");
}

TEST(Certificate, IsNotFoundInOtherTexts) {
  const std::string whole = certificate_for(make_key());
  for (const std::string& text : {std::string(), std::string("certificate"), make_key()}) {
    const auto reading = read_certificate("/k/tls.crt", text);
    ASSERT_FALSE(reading);
    EXPECT_EQ(base::to_string(reading.error()),
              "/k/tls.crt: there is no certificate in it; it takes PEM text, from -----BEGIN "
              "CERTIFICATE----- on");
  }
  // The end line, less its dashes and its line break, may be cut off unnoticed.
  for (std::size_t size = 0; size + 30 < whole.size(); ++size) {
    EXPECT_FALSE(read_certificate("f", whole.substr(0, size))) << size;
  }
}

TEST(Key, IsToldFromWhatIsNone) {
  const std::string key = make_key();
  const std::string certificate = certificate_for(key);
  EXPECT_EQ(key_trouble("k", "", certificate)->message, "there is no private key in it");
  EXPECT_EQ(key_trouble("k", certificate, certificate)->message, "there is no private key in it");
  EXPECT_EQ(key_trouble("k", make_key(), certificate)->message,
            "this key is not the one of the certificate beside it");
  EXPECT_EQ(key_trouble("k", kEncryptedKey, certificate)->message,
            "this key wants a passphrase, and no unit can ask for one");
  EXPECT_FALSE(make_certificate("k", "nothing", "site-a"));
}

}  // namespace
}  // namespace pki
