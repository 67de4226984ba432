// SPDX-License-Identifier: Apache-2.0
#include "platform/base/digest/digest.h"

#include <nettle/sha1.h>
#include <nettle/sha2.h>

namespace spica::digest {

namespace {

template <std::size_t size>
std::string digits_of(const std::array<std::uint8_t, size>& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

const std::uint8_t* data_of(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), data_of(bytes));
  Sha256 digest;
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

std::string sha256_text(std::string_view bytes) { return digits_of(sha256(bytes)); }

std::string sha1_text(std::string_view bytes) {
  sha1_ctx context;
  sha1_init(&context);
  sha1_update(&context, bytes.size(), data_of(bytes));
  std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest;
  sha1_digest(&context, digest.size(), digest.data());
  return digits_of(digest);
}

}  // namespace spica::digest
