// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/soc/run_control.h"
#include "platform/observe/debug/supervisor.h"

namespace spica::debug {

/// The past of a run under gdb: saved states, from which the run is repeated up to the requested place. A run is
/// determined by the grants of its warps and their times.
class History {
 public:
  History(soc::RunControl& control, Supervisor& supervisor) : control_(control), supervisor_(supervisor) {}

  /// True if the state of the machine can be saved.
  bool possible() const { return !moments_.empty(); }
  /// Starts the history here: when gdb connects, and after gdb has changed state, which a repetition would not
  /// reproduce.
  void begin();
  void forget() { moments_.clear(); }
  /// Saves a state if one is due. Call between two parts of the run.
  void save_if_due();

  /// Goes back to before the last instruction of a warp. kStepped, or kBegin if there is none.
  Stop step_back(unsigned warp);
  /// Goes back to before the last event that would have stopped the run; or kBegin.
  Stop go_back();

 private:
  struct Moment {
    Supervisor::Place place;
    std::string state;
  };
  void keep();
  void replay(const Moment& from, std::uint64_t target, bool stays);
  void come_to_rest();
  void come_to(std::size_t moment, std::uint64_t position);
  template <class Search>
  Stop search(Search&& find);

  soc::RunControl& control_;
  Supervisor& supervisor_;
  std::vector<Moment> moments_;  // the first one is the start of the history
  std::uint64_t interval_ = 0;  // instructions between two of them
  std::size_t bytes_ = 0;  // bytes of their states
};

}  // namespace spica::debug
