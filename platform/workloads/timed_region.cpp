// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/timed_region.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/elf_notes.h"

namespace spica::workloads {

namespace {

struct WindowText {
  std::string_view window, text;
};
constexpr WindowText kWindowTexts[] = {
    {kResultsWindow, "from the first load to the moment the last result is in memory"},
    {"k_blocks",
     "from the head of the first k block to the end of the last: without the first load and the last store of C"},
    {"stores", "from the configuration to the last store, which is still under way"},
    {"commands",
     "from the configuration of loads and stores to the moment the last store command is given, not done"},
    {"passes",
     "from the configuration of the unit to the end of the last pass over the keys: without writing the result"},
    {kWholeRun, "the whole run: the program has no markers"},
};

}  // namespace

std::string timed_window(const std::string& design, std::string_view window, const loader::ElfNotes& notes,
                         const std::string& asked) {
  const auto published = notes.number(kRegionNote);
  const bool has_results = window == kResultsWindow || published.value_or(1) == 0;
  if (asked == kRegions.name_of(Region::kResults) && !has_results)
    throw input::UserError(fmt::format(
        "--region results: the kernel of design {} is timed {}, and has no other region; one that includes "
        "sw/kernels/gemm_common/timed_region.h has both",
        design, window_text(window)));
  if (asked == kRegions.name_of(Region::kPublished) && has_results && window != kResultsWindow)
    throw input::UserError(
        fmt::format("--region published: design {} has no source that could be compiled for it", design));
  return std::string(has_results ? kResultsWindow : window);
}

double lead_percent(double lead, double cycles) { return cycles > 0 ? 100 * lead / cycles : 0; }

bool is_long_lead(double lead, double cycles) { return lead_percent(lead, cycles) >= 2; }

std::string_view window_text(std::string_view window) {
  for (const WindowText& one : kWindowTexts)
    if (one.window == window) return one.text;
  return "as the program's markers say";
}

}  // namespace spica::workloads
