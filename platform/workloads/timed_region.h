// SPDX-License-Identifier: Apache-2.0
// The part of a run to which its cycles and energies refer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::loader {
class ElfNotes;
}

namespace spica::workloads {

/// The selectable regions. kResults: from the first load of an operand to the last result in memory. The program marks
/// this region; cycles of set-up can lie between its marker and the load (`lead_cycles`). kPublished: the timed region
/// of the design's published program, its `window`.
enum class Region : std::uint8_t { kResults, kPublished };
inline constexpr base::Choices kRegions{base::Choice<Region>{"results", Region::kResults},
                                        base::Choice<Region>{"published", Region::kPublished}};

/// The help text of the option.
inline constexpr const char* kRegionText =
    "timed: first load to last result in memory (results, the default if the kernel has it), or as published";

/// The note in a kernel that can be compiled for both regions, and the define for the published one
/// (sw/kernels/gemm_common/timed_region.h).
inline constexpr const char* kRegionNote = "region.published";
inline constexpr const char* kRegionDefine = "PUBLISHED_REGION";

/// The window in which every design can be timed, and that of a program without markers.
inline constexpr std::string_view kResultsWindow = "results", kWholeRun = "run";

/// The window between the markers of a design's program. `window`: that of the design; `asked`: a choice of kRegions,
/// or empty. Throws UserError if the program does not have the requested region.
std::string timed_window(const std::string& design, std::string_view window, const loader::ElfNotes& notes,
                         const std::string& asked);

/// Cycles of a window before the first load of an operand reaches memory: set-up by the program, starts of warps,
/// commands to a unit. Their percentage of all cycles; and whether it is large enough to be printed (2 %).
double lead_percent(double lead, double cycles);
bool is_long_lead(double lead, double cycles);

/// Describes a window as "from ... to ...".
std::string_view window_text(std::string_view window);

}  // namespace spica::workloads
