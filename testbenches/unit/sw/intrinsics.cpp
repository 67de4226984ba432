// SPDX-License-Identifier: Apache-2.0
// One function per intrinsic; check_code.py compiles this and looks at the words. Arguments arrive
// in a0, a1.
#include <matrix_unit.h>
#include <simt.h>
#include <tensor_core.h>

extern "C" {
void use_tmc(unsigned mask) { simt_tmc(mask); }
void use_wspawn(unsigned warps, void (*pc)()) { simt_wspawn(warps, pc); }
void use_bar(unsigned id, unsigned warps) { simt_bar(id, warps); }
void use_pred(unsigned cond, unsigned mask) { simt_pred(cond, mask); }
void use_join(unsigned parted) { simt_join(parted); }
unsigned use_split(unsigned cond) { return simt_split(&cond); }
unsigned use_any(unsigned cond) { return simt_any(cond); }
void use_fence() { simt_fence(); }
void use_mark_beg() { MARK_BEG(); }
void use_mark_end() { MARK_END(); }
unsigned use_lane() { return simt_lane(); }
unsigned use_warp() { return simt_warp(); }
unsigned use_core() { return simt_core(); }
unsigned use_hart() { return simt_hart(); }
unsigned use_lanes() { return simt_lanes(); }
unsigned use_warps() { return simt_warps(); }
unsigned use_cores() { return simt_cores(); }
unsigned use_active_warps() { return simt_active_warps(); }
unsigned use_mask() { return simt_mask(); }
unsigned use_cycle() { return simt_cycle(); }
unsigned use_instructions() { return simt_instructions(); }
void use_tensor_core() {
  tensor_core_multiply<0>();
  tensor_core_multiply<1>();
}
void use_cisc(unsigned command) { matrix_unit_cisc(0, command); }
}
