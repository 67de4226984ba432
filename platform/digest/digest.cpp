// SPDX-License-Identifier: Apache-2.0
#include "platform/digest/digest.h"

#include <nettle/sha2.h>

namespace spica::digest {

Sha256 sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  Sha256 digest;
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

std::string sha256_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : sha256(bytes)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace spica::digest
