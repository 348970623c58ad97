// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/stock_watch.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "ovpn/status_file.h"

namespace launch {
namespace {

using ovpn::ConnectionState;

// Waiting for names or for a peer must not hold up a boot: who answers for this long is started.
constexpr base::Duration kPatience = std::chrono::seconds(5);

// From the texts of OpenVPN 2.4 to 2.7.
constexpr std::array<std::string_view, 14> kPermanent{
    "Options error",
    "Cannot open TUN/TAP dev",
    "Insufficient key material",
    "Key file",
    "key file",
    "Cannot pre-load keyfile",
    "not supported",  // "Cipher BF-CBC not supported"
    "not found or could not be loaded",
    "Cannot load",
    "Operation not permitted",
    "Permission denied",
    "No such file or directory",
    "unsupported",
    "Private key password",
};

bool stands(ConnectionState state) {
  return state == ConnectionState::kAssignIp || state == ConnectionState::kAddRoutes ||
         state == ConnectionState::kConnected;
}

bool is_over(const std::optional<base::TimePoint>& at, base::TimePoint now) {
  return at && now >= *at;
}

std::string endpoint_of(const ovpn::ManagementState& state) {
  if (state.remote_address.empty()) return {};
  const bool v6 = state.remote_address.find(':') != std::string::npos;
  return (v6 ? "[" + state.remote_address + "]" : state.remote_address) + ":" + state.remote_port;
}

}  // namespace

bool is_permanent(std::string_view fatal) {
  return std::any_of(kPermanent.begin(), kPermanent.end(), [fatal](std::string_view words) {
    return fatal.find(words) != std::string_view::npos;
  });
}

StockWatch::StockWatch(StockWatchSettings settings, base::TimePoint now)
    : settings_(settings), began_(now) {}

void StockWatch::connected(base::TimePoint now) {
  came_ = true;
  unanswered_.clear();
  answer_.clear();
  command(ovpn::management_state_on(), false);
  ask(now);
}

void StockWatch::command(std::string text, bool question) {
  commands_ += text;
  unanswered_.push_back(question);
}

void StockWatch::ask(base::TimePoint now) {
  ask_at_ = now + settings_.pace;
  // A question that stock has not answered is not repeated: it waits in the socket all the same.
  const bool asked = std::find(unanswered_.begin(), unanswered_.end(), true) != unanswered_.end();
  if (asked || !came_) return;
  asked_standing_ = standing_;
  command(ovpn::management_status(), true);
}

void StockWatch::message(base::TimePoint now, base::UnixSeconds wall,
                         const ovpn::ManagementMessage& message) {
  if (gave_up_) return;  // stock is being ended: a peer heard in this moment comes too late
  if (const auto* state = std::get_if<ovpn::ManagementState>(&message)) {
    enter(now, wall, *state);
  } else if (const auto* hold = std::get_if<ovpn::ManagementHold>(&message)) {
    release_at_ = now + std::chrono::seconds(hold->wait_seconds);
    if (hold->wait_seconds == 0) release(now);
  } else if (const auto* fatal = std::get_if<ovpn::ManagementFatal>(&message)) {
    last_words_ = fatal->text;
  } else if (const auto* data = std::get_if<ovpn::ManagementData>(&message)) {
    answer_ += data->text + "\n";
  } else if (std::holds_alternative<ovpn::ManagementEnd>(message) ||
             std::holds_alternative<ovpn::ManagementSuccess>(message) ||
             std::holds_alternative<ovpn::ManagementError>(message)) {
    answer_ended(now, wall);
  }
}

// While it is held, stock answers `status` with an ERROR; that is a sign of life like any other.
void StockWatch::answer_ended(base::TimePoint now, base::UnixSeconds wall) {
  if (unanswered_.empty()) return;
  const bool question = unanswered_.front();
  unanswered_.pop_front();
  if (question) answered(now, wall);
}

void StockWatch::release(base::TimePoint now) {
  release_at_.reset();
  command(ovpn::management_hold_release(), false);
  if (settings_.dry_after > base::Duration::zero()) dry_at_ = now + settings_.dry_after;
}

void StockWatch::enter(base::TimePoint now, base::UnixSeconds wall,
                       const ovpn::ManagementState& state) {
  heard_ = true;
  status_.state = state.state;
  status_.since = wall;
  status_.note = state.state == ConnectionState::kConnected && state.detail != "SUCCESS"
                     ? state.detail
                     : std::string();
  if (state.state == ConnectionState::kReconnecting) status_.note = state.detail;
  const std::string peer = endpoint_of(state);
  if (!peer.empty() || state.state != ConnectionState::kConnected) status_.peer = peer;
  if (stands(state.state) && !standing_) {
    standing_ = true;
    ask_at_ = now;  // an answer from now on means that the loop turns behind it
  }
  if (state.state == ConnectionState::kConnected) {
    dry_at_.reset();
    if (settings_.ready_connected) say_ready();
  }
}

void StockWatch::answered(base::TimePoint now, base::UnixSeconds wall) {
  heard_ = true;
  const auto counters = ovpn::parse_status_file(std::exchange(answer_, {}) + "END\n");
  if (counters) {
    status_.rx_bytes = counters->tun_write_bytes;
    status_.tx_bytes = counters->tun_read_bytes;
  }
  // After a try begun anew with the interface kept, stock says no more than RECONNECTING.
  if (status_.state == ConnectionState::kReconnecting && standing_ && !release_at_ && dry_at_) {
    status_.state = ConnectionState::kAssignIp;
    status_.since = wall;
    status_.note.clear();
  }
  words_ += "WATCHDOG=1\n";
  const bool patient = now - began_ >= kPatience;
  if (!settings_.ready_connected && (asked_standing_ || patient)) say_ready();
}

void StockWatch::say_ready() {
  if (std::exchange(ready_, true)) return;
  words_ += "READY=1\n";
}

void StockWatch::timeout(base::TimePoint now) {
  if (is_over(release_at_, now)) release(now);
  if (is_over(ask_at_, now)) ask(now);
  if (is_over(dry_at_, now)) {
    dry_at_.reset();
    command(ovpn::management_signal("SIGUSR1"), false);
  }
  if (settings_.ready_connected && !ready_ && now - began_ >= settings_.ready_limit) {
    gave_up_ = true;
    last_words_ = "the peer was not heard within ready-timeout";
  }
}

std::optional<base::TimePoint> StockWatch::next_timeout() const {
  std::optional<base::TimePoint> next;
  const auto take = [&next](base::TimePoint at) { next = next ? std::min(*next, at) : at; };
  for (const auto& at : {ask_at_, release_at_, dry_at_}) {
    if (at) take(*at);
  }
  if (settings_.ready_connected && !ready_ && !gave_up_) take(began_ + settings_.ready_limit);
  return next;
}

std::string StockWatch::take_commands() { return std::exchange(commands_, {}); }

// Only the newest status goes into the message: of several, systemd takes the first.
std::string StockWatch::take_words() {
  std::string words = std::exchange(words_, {});
  const std::string status = ovpn::format_status_line(status_);
  if (!heard_ || status == said_status_) return words;
  said_status_ = status;
  return words + "STATUS=" + status + "\n";
}

}  // namespace launch
