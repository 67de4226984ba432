// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/warp_table.h"

#include <fmt/format.h>

#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/text_table.h"

namespace spica::report {

std::string warp_table(const std::vector<WarpSnapshot>& warps, const loader::SourceMap& source) {
  using Align = TextTable::Align;
  TextTable table({{"core", Align::kRight},
                   {"warp", Align::kRight},
                   {"state"},
                   {"pc"},
                   {"lanes"},
                   {"function"},
                   {"source"},
                   {"detail"}});
  for (const WarpSnapshot& warp : warps) {
    std::vector<std::string> cells{
        std::to_string(warp.core), std::to_string(warp.warp), warp.state, "", "", "", "", warp.detail};
    if (warp.mask != 0) {
      const loader::Location& location = source.lookup(warp.pc);
      cells[3] = fmt::format("{:#010x}", warp.pc);
      cells[4] = lanes_text(warp.mask);
      cells[5] = location.frame.function;
      for (const loader::Frame& caller : location.inlined_into) cells[5] += " < " + caller.function;
      cells[6] = loader::user_frame(location).place();
    }
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace spica::report
