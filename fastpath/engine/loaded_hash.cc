// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/loaded_hash.h"

#include <initializer_list>

#include "base/bytes.h"
#include "base/sha256.h"
#include "base/wipe.h"

namespace engine {
namespace {

// Each with its length in front, so that no two lists make one text.
void add(std::string& text, std::string_view piece) {
  text += std::to_string(piece.size());
  text += ':';
  text += piece;
}

// Their order and number are fixed.
void add_files(std::string& text, const config::TlsConfig& tls) {
  const config::CertificateConfig& cert = tls.certificate;
  for (const config::ConfigFile* file : {&cert.ca, &cert.cert, &cert.key, &cert.pkcs12,
                                         &cert.extra_certs, &cert.crl, &cert.dh, &tls.wrap.key}) {
    add(text, file->text);
  }
  for (const std::string* login :
       {&cert.passphrase, &tls.credentials.username, &tls.credentials.password}) {
    add(text, *login);
  }
}

}  // namespace

std::string text_for_hash(const ovpn::Profile& profile) {
  std::size_t size = 0;  // at once, so that no copy with a key in it is left behind by growing
  for (const ovpn::Directive& line : profile.directives) {
    size += line.name.size() + (line.body ? line.body->size() : 0) + 64;
    for (const std::string& arg : line.args) size += arg.size() + 32;
  }
  std::string text;
  text.reserve(size);
  for (const ovpn::Directive& line : profile.directives) {
    add(text, line.name);
    add(text, std::to_string(line.args.size()));
    for (const std::string& arg : line.args) add(text, arg);
    add(text, line.body ? "block" : "");
    if (line.body) add(text, *line.body);
  }
  return text;
}

LoadedHash hash_of(std::string options, const Loaded& loaded) {
  const LoadedHash lines = base::sha256(base::as_bytes(options));
  base::wipe(options);
  std::string files;
  if (loaded.config.tls) {
    files.reserve(std::size_t{1} << 20);
    add_files(files, *loaded.config.tls);
  }
  if (loaded.key) add(files, base::as_text(loaded.key->bytes.view()));
  const LoadedHash read = base::sha256(base::as_bytes(files));
  base::wipe(files);
  std::array<std::uint8_t, 2 * std::tuple_size_v<LoadedHash>> both{};
  base::ByteWriter writer(both);
  writer.bytes(lines);
  writer.bytes(read);
  return base::sha256(both);
}

}  // namespace engine
