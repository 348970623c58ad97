// SPDX-License-Identifier: Apache-2.0
#include "tests/support/control_world.h"

#include <algorithm>

namespace support {
namespace {

base::Endpoint endpoint_of(const char* address, std::uint16_t port) {
  return {*base::IpAddress::parse(address), port};
}

void sort_event(control::SessionEvent event, ControlEnd& end) {
  Told& told = end.told;
  if (auto* keys = std::get_if<control::KeysReady>(&event)) {
    if (keys->peer) end.peer = *keys->peer;
    told.keys.push_back(std::move(*keys));
  } else if (auto* push = std::get_if<control::PushReceived>(&event)) {
    told.pushes.push_back(*push);
  } else if (auto* failed = std::get_if<control::AuthFailed>(&event)) {
    told.auth_failures.push_back(*failed);
  } else if (auto* over = std::get_if<control::SessionFailed>(&event)) {
    told.failures.push_back(*over);
  } else if (auto* exited = std::get_if<control::PeerExited>(&event)) {
    told.exits.push_back(*exited);
  } else if (auto* retired = std::get_if<control::KeyRetired>(&event)) {
    told.retired.push_back(retired->key_id);
  } else if (auto* note = std::get_if<control::SessionNote>(&event)) {
    (note->warning ? told.warnings : told.notes).push_back(note->text);
    if (!note->reason.empty()) told.reasons.push_back(note->reason);
  }
}

config::TlsConfig config_with(const Identity& own) {
  config::TlsConfig config;
  config.certificate.ca = text_file("ca.crt", shared_pki().pki.ca());
  config.certificate.cert = text_file("own.crt", own.certificate);
  config.certificate.key = text_file("own.key", own.key);
  return config;
}

}  // namespace

config::ConfigFile text_file(const std::string& name, const std::string& text) {
  config::ConfigFile file;
  file.name = name;
  file.text = text;
  return file;
}

config::TlsConfig client_config() {
  config::TlsConfig config = config_with(shared_pki().client);
  config.certificate.remote_cert_tls = config::TlsRole::kServer;
  return config;
}

config::TlsConfig server_config() {
  config::TlsConfig config = config_with(shared_pki().server);
  config.role = config::TlsRole::kServer;
  config.certificate.remote_cert_tls = config::TlsRole::kClient;
  return config;
}

base::Bytes first_answer(const control::PeerSession::Cookie& cookie) {
  control::ControlBody body;
  body.acks.add(0);
  body.acked_session = cookie.remote;
  body.id = 0;
  control::WrapChannel plain(control::plain_wrap(), 0);
  base::Bytes out(2048);
  out.resize(plain.seal({wire::Opcode::kHardResetServerV2, 0, cookie.own}, body, 0, out));
  return out;
}

ControlWorld::ControlWorld(std::uint64_t seed, config::TlsConfig client_wants,
                           config::TlsConfig server_wants)
    : wire(seed), random_(seed) {
  client.config = std::move(client_wants);
  server.config = std::move(server_wants);
  client.address = server.peer = endpoint_of("192.0.2.1", 40000);
  server.address = client.peer = endpoint_of("192.0.2.2", 1194);
  client.parts.options_string =
      "V4,dev-type tun,link-mtu 1541,tun-mtu 1500,key-method 2,tls-client";
  server.parts.options_string =
      "V4,dev-type tun,link-mtu 1541,tun-mtu 1500,key-method 2,tls-server";
}

void ControlWorld::begin(ControlEnd& end) {
  end.parts.config = &end.config;
  end.parts.random = [this](base::MutableByteSpan to) {
    for (std::uint8_t& byte : to) byte = static_cast<std::uint8_t>(random_());
  };
  end.parts.wall_clock = [this] { return wall; };
  end.session = std::make_unique<control::ControlSession>(end.parts, now_);
  end.session->start(now_, end.call);
}

void ControlWorld::start() {
  begin(server);
  begin(client);
}

void ControlWorld::serve(ControlEnd& end) {
  if (!end.session) return;
  end.session->handle_timeout(now_);
  while (auto event = end.session->next_event()) sort_event(std::move(*event), end);
  std::array<std::uint8_t, 2048> out;
  std::optional<base::Endpoint> to;
  while (const auto size = end.session->next_datagram(now_, out, to)) {
    recorded.emplace_back(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size));
    wire.send(now_, {.from = end.address,
                     .to = to.value_or(end.peer),
                     .bytes = recorded.back(),
                     .number = ++number_});
  }
}

void ControlWorld::step(base::TimePoint limit) {
  serve(client);
  serve(server);
  base::TimePoint next = limit;
  for (const ControlEnd* end : {&client, &server}) {
    const auto at = end->session ? end->session->next_timeout() : std::nullopt;
    if (at) next = std::min(next, *at);
  }
  if (const auto at = wire.next_arrival()) next = std::min(next, *at);
  now_ = std::max(now_, next);
  while (const auto datagram = wire.receive(now_)) {
    for (ControlEnd* end : {&client, &server}) {
      if (end->session && end->address == datagram->to) {
        end->signs_of_life +=
            end->session->handle_datagram(now_, datagram->from, datagram->bytes) ? 1 : 0;
      }
    }
  }
}

void ControlWorld::run_for(base::Duration span) {
  const base::TimePoint limit = now_ + span;
  while (now_ < limit) step(limit);
  step(now_);
}

bool ControlWorld::run_until(const std::function<bool()>& done, base::Duration span) {
  const base::TimePoint limit = now_ + span;
  while (!done() && now_ < limit) step(limit);
  return done();
}

}  // namespace support
