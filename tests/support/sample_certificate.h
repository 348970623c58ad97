// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace support {

// A certificate that tunctl made, good until 9999, for configs in which it only has to be one. Its
// key is nowhere.
inline const std::string kSampleCertificate =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBgDCCASagAwIBAgIQe3ah5gCL0Wt53pt8VGhR6TAKBggqhkjOPQQDAjARMQ8w\n"
    "DQYDVQQDDAZzaXRlLWEwIBcNMDAwMTAxMDAwMDAwWhgPOTk5OTEyMzEyMzU5NTla\n"
    "MBExDzANBgNVBAMMBnNpdGUtYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKYr\n"
    "RoXzuJm1uWo1pyMwSsymjnx4exq3sKDGTnFYdmWrk18zus652YmGTLx2D9vHw3bH\n"
    "frV3lziF/OK3X3pUP4SjXjBcMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeA\n"
    "MB0GA1UdJQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDAjAdBgNVHQ4EFgQUU74o85Q5\n"
    "a1DQJ/puPzeGO/eia8kwCgYIKoZIzj0EAwIDSAAwRQIhAOjULi0Yv8vKqnEV38P6\n"
    "IynBWqwrf9+6puft2klliO5bAiAewg58QgJ62raIK8VoWQzY05hXsaGBxpMzbEDX\n"
    "3bCwzA==\n"
    "-----END CERTIFICATE-----\n";
// The same as an authority.
inline const std::string kSampleCa = "<ca>\n" + kSampleCertificate + "</ca>\n";

}  // namespace support
