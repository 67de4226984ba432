// SPDX-License-Identifier: Apache-2.0
// Catch2, whichever is installed: version 2 (Debian 12) or 3 (Debian 13, Ubuntu 24.04). The names are those of version
// 2.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Message;
using Matchers::StartsWith;
}  // namespace Catch
using Catch::Approx;
#else
#include <catch2/catch.hpp>

namespace Catch {
using Matchers::Message;
}
#endif
