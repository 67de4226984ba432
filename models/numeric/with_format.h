// SPDX-License-Identifier: Apache-2.0
// Code specialized for a format that is known only at run time.
#pragma once

#include "models/numeric/format.h"
#include "models/numeric/lanes.h"

namespace spica::numeric {

template <Format format>
struct FormatTag {
  static constexpr Format kFormat = format;
};

/// Calls visit(FormatTag<format>{}). Does nothing for kInt32, which FP32 cannot hold.
template <class Visit>
SPICA_LANES void with_format(Format format, Visit visit) {
  switch (format) {
    case Format::kFp32: return visit(FormatTag<Format::kFp32>{});
    case Format::kTf32: return visit(FormatTag<Format::kTf32>{});
    case Format::kBf16: return visit(FormatTag<Format::kBf16>{});
    case Format::kFp16: return visit(FormatTag<Format::kFp16>{});
    case Format::kE4m3: return visit(FormatTag<Format::kE4m3>{});
    case Format::kE5m2: return visit(FormatTag<Format::kE5m2>{});
    case Format::kE3m2: return visit(FormatTag<Format::kE3m2>{});
    case Format::kE2m3: return visit(FormatTag<Format::kE2m3>{});
    case Format::kE2m1: return visit(FormatTag<Format::kE2m1>{});
    case Format::kInt8: return visit(FormatTag<Format::kInt8>{});
    case Format::kUint8: return visit(FormatTag<Format::kUint8>{});
    case Format::kInt4: return visit(FormatTag<Format::kInt4>{});
    case Format::kUint4: return visit(FormatTag<Format::kUint4>{});
    case Format::kInt32: return;
  }
}

}  // namespace spica::numeric
