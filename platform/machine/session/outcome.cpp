// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/outcome.h"

namespace spica::session {

const char* end_name(End end) {
  switch (end) {
    case End::kFinished: return "finished";
    case End::kFault: return "fault";
    case End::kDeadlock: return "deadlock";
    case End::kLivelock: return "livelock";
    case End::kCycleLimit: return "cycle_limit";
    case End::kKilled: return "killed";
    case End::kInterrupted: return "interrupted";
    case End::kBlockError: return "block_error";
    case End::kInternalError: return "internal_error";
  }
  return "?";
}

}  // namespace spica::session
