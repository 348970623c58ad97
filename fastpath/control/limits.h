// SPDX-License-Identifier: Apache-2.0
// All limits of the control channel; what a hostile peer can make us keep is the sum of these.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/time.h"

namespace control {

// OpenVPN protocol: reliability layer. 2.5 and older take no more than four in flight.
inline constexpr std::size_t kSendWindowMessages = 4;
inline constexpr std::size_t kReceiveWindowMessages = 12;
inline constexpr int kHigherAcksForRetransmit = 3;
inline constexpr std::size_t kDatagramBytesMax = 2048;

// OpenVPN protocol: key method 2 and its texts.
inline constexpr std::size_t kTlsInputBytesMax = 64 * 1024;  // records not yet read
inline constexpr std::size_t kOptionsTextMax = 512;
inline constexpr std::size_t kCredentialBytesMax = 4096;

inline constexpr std::size_t kPushMessagesMax = 128;
inline constexpr std::size_t kPushOptionsBytesMax = 64 * 1024;
inline constexpr std::size_t kEventsQueuedMax = 256;

// Between connection and the first PUSH_REQUEST: servers of 2.5 and later push unasked.
inline constexpr base::Duration kFirstPushRequestDelay = std::chrono::milliseconds(300);
inline constexpr base::Duration kPushRequestInterval = std::chrono::seconds(5);
// A server that answered the same address less than 30 s ago says nothing a second time (OpenVPN
// protocol: repeated requests). After this long without a word what it said then is taken to stand.
inline constexpr base::Duration kRememberedPushDelay = std::chrono::seconds(3);

// Answers to first packets that a server gives without keeping state, so that forged sources
// cannot make it a flood.
inline constexpr int kStatelessAnswers = 100;
inline constexpr base::Duration kStatelessInterval = std::chrono::seconds(10);

}  // namespace control
