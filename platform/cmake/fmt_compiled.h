// SPDX-License-Identifier: Apache-2.0
// fmt's formatter is compiled in its library. A file that formats into a buffer would compile it again: a second each.
// Debian's library is compiled by g++, and clang has another name for this template.
#pragma once

#if defined(__GNUC__) && __GNUC__ < 13 && \
    !defined(__clang__)  // warns wrongly about fmt 9, whose loop ends at the size
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#include <fmt/format.h>
#pragma GCC diagnostic pop
#else
#include <fmt/format.h>
#endif

#if FMT_VERSION / 10000 == 9 && !defined(FMT_HEADER_ONLY) && !defined(__clang__)
FMT_BEGIN_NAMESPACE
namespace detail {
extern template void vformat_to(buffer<char>&, basic_string_view<char>,
                                basic_format_args<FMT_BUFFER_CONTEXT(type_identity_t<char>)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
#endif
