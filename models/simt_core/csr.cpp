// SPDX-License-Identifier: Apache-2.0
// Control and status registers of a warp of this core.
#include "models/simt_core/csr_file.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// Views of state that a const core may show; only execute() and set() of the result change it.
CsrFile SimtCore::csr_file(unsigned w) const {
  auto& self = const_cast<SimtCore&>(*this);
  return {params_,
          identity_,
          performance_,
          accelerator.size() != 0 ? self.accelerator.operator->() : nullptr,
          now(),
          committed_threads_,
          self.counter_offsets_,
          active_,
          w,
          warps_[w].simt,
          self.warps_[w].floating,
          self.machine_[w]};
}

std::uint32_t SimtCore::read_csr(unsigned w, std::uint32_t number, unsigned lane) const {
  return csr_file(w).read(number, lane);
}

void SimtCore::note_float_watch(unsigned w) {
  const std::uint32_t bit = 1u << w;
  float_watch_ = machine_[w].watches_floats() ? float_watch_ | bit : float_watch_ & ~bit;
}

/// An instruction of a warp that has written mstatus and not made FS dirty. True: the unit is off, and it trapped
/// or is reported.
bool SimtCore::finds_floats_off(unsigned w, const Fetched& fetched) {
  if (!fetched.instruction->uses_floats || machine_[w].use_floats(false)) return false;
  report(floats_are_off(), w, fetched);
  return true;
}

/// The same instruction has issued.
void SimtCore::note_float_change(unsigned w, const isa::Instruction& instruction) {
  if (!instruction.changes_floats) return;
  machine_[w].use_floats(true);
  note_float_watch(w);
}

bool SimtCore::execute_csr(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  const std::uint32_t mask = warp.simt.mask();
  const Oddity odd = odd_csr({*fetched.instruction, fetched.pc, warp.registers, mask}, params_, machine_[w]);
  if (odd != Oddity::kNone && !takes_traps(params_, machine_[w], map_)) warn(odd, w, fetched, mask);
  if (csr_file(w).execute(*fetched.instruction, warp.registers, origin(w, fetched.pc, warp.simt.mask()))) {
    note_float_watch(w);
    return true;
  }
  report(refused_csr(*fetched.instruction, machine_[w]), w, fetched);
  return false;
}

}  // namespace spica::simt_core
