// SPDX-License-Identifier: Apache-2.0
// Which part of a run its cycles and energies are of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::loader {
class ElfNotes;
}

namespace spica::workloads {

/// What can be asked for. kResults: from the first load of an operand to the last result in memory; the program marks
/// where that is, and cycles of set-up can lie between its marker and the load (`lead_cycles`). kPublished: what the
/// published program of the design times, its `window`.
enum class Region : std::uint8_t { kResults, kPublished };
inline constexpr base::Choices kRegions{base::Choice<Region>{"results", Region::kResults},
                                        base::Choice<Region>{"published", Region::kPublished}};

/// What the option that asks for one says.
inline constexpr const char* kRegionText =
    "timed region. results: first load to last result in memory. published: that of the published program "
    "(default: results, if the kernel has it)";

/// The note in a kernel that can be compiled for both, and what it is compiled with for the published one
/// (sw/kernels/gemm_common/timed_region.h).
inline constexpr const char* kRegionNote = "region.published";
inline constexpr const char* kRegionDefine = "PUBLISHED_REGION";

/// The window that every design is timed over, and that of a program without markers.
inline constexpr std::string_view kResultsWindow = "results", kWholeRun = "run";

/// The window that the program of a design has between its markers. `window`: that of the design; `asked`: a choice of
/// kRegions, or empty. Throws UserError when the program does not have what was asked for.
std::string timed_window(const std::string& design, std::string_view window, const loader::ElfNotes& notes,
                         const std::string& asked);

/// The cycles of a window before the first load of an operand reaches memory: set-up by the program, starts of warps,
/// commands to a unit. Their part of all cycles, in percent; whether it is enough to be printed (2 %).
double lead_percent(double lead, double cycles);
bool is_long_lead(double lead, double cycles);

/// What a window is, in a sentence without its subject, "from ... to ...".
std::string_view window_text(std::string_view window);

}  // namespace spica::workloads
