// SPDX-License-Identifier: Apache-2.0
#include "models/isa/csr.h"

namespace spica::isa::csr {

const char* name(std::uint32_t number) noexcept {
  switch (number) {
    case kFflags: return "fflags";
    case kFrm: return "frm";
    case kFcsr: return "fcsr";
    case kSatp: return "satp";
    case kMstatus: return "mstatus";
    case kMisa: return "misa";
    case kMedeleg: return "medeleg";
    case kMideleg: return "mideleg";
    case kMie: return "mie";
    case kMtvec: return "mtvec";
    case kMcounteren: return "mcounteren";
    case kMenvcfg: return "menvcfg";
    case kMstatusHigh: return "mstatush";
    case kMenvcfgHigh: return "menvcfgh";
    case kMcountinhibit: return "mcountinhibit";
    case kMscratch: return "mscratch";
    case kMepc: return "mepc";
    case kMcause: return "mcause";
    case kMtval: return "mtval";
    case kMip: return "mip";
    case kPmpcfg0: return "pmpcfg0";
    case kPmpaddr0: return "pmpaddr0";
    case kMnstatus: return "mnstatus";
    case kMcycle: return "mcycle";
    case kMinstret: return "minstret";
    case kMcycleHigh: return "mcycleh";
    case kMinstretHigh: return "minstreth";
    case kCycle: return "cycle";
    case kTime: return "time";
    case kInstret: return "instret";
    case kCycleHigh: return "cycleh";
    case kTimeHigh: return "timeh";
    case kInstretHigh: return "instreth";
    case kAccelerator: return "accelerator";
    case kLaneId: return "lane_id";
    case kWarpId: return "warp_id";
    case kCoreId: return "core_id";
    case kActiveWarps: return "active_warps";
    case kThreadMask: return "thread_mask";
    case kBootArgument: return "boot_argument";
    case kGroupSlot: return "group_slot";
    case kGroupRank: return "group_rank";
    case kGroupWarps: return "group_warps";
    case kThreadIndex: return "thread_index_x";
    case kThreadIndex + 1: return "thread_index_y";
    case kThreadIndex + 2: return "thread_index_z";
    case kBlockIndex: return "block_index_x";
    case kBlockIndex + 1: return "block_index_y";
    case kBlockIndex + 2: return "block_index_z";
    case kBlockExtent: return "block_extent_x";
    case kBlockExtent + 1: return "block_extent_y";
    case kBlockExtent + 2: return "block_extent_z";
    case kGridExtent: return "grid_extent_x";
    case kGridExtent + 1: return "grid_extent_y";
    case kGridExtent + 2: return "grid_extent_z";
    case kGroupShared: return "group_shared";
    case kGroupEntry: return "group_entry";
    case kVendorId: return "mvendorid";
    case kArchitectureId: return "marchid";
    case kImplementationId: return "mimpid";
    case kHartId: return "mhartid";
    case kLanes: return "lanes";
    case kWarps: return "warps";
    case kCores: return "cores";
    default: return nullptr;
  }
}

}  // namespace spica::isa::csr
