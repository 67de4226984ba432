// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace spica::digest {

using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::string_view bytes);
/// 64 hex digits.
std::string sha256_text(std::string_view bytes);
/// 40 hex digits, as printed by `sha1sum`. For naming files, not for security.
std::string sha1_text(std::string_view bytes);

}  // namespace spica::digest
