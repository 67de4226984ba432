// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/soc/run_control.h"
#include "platform/observe/debug/supervisor.h"

namespace spica::debug {

/// The past of a run under gdb: states of it, from which it is executed again up to the place that is wanted. A run
/// follows from what its warps may do and when.
class History {
 public:
  History(soc::RunControl& control, Supervisor& supervisor) : control_(control), supervisor_(supervisor) {}

  /// The state of the machine can be saved.
  bool possible() const { return !moments_.empty(); }
  /// The past begins here. When gdb comes, and when it has changed something, which would not happen again.
  void begin();
  void forget() { moments_.clear(); }
  /// Between two pieces of the run: keeps a state now and then.
  void look();

  /// Back to before the last instruction of a warp. kStepped, or kBegin when there is none.
  Stop step_back(unsigned warp);
  /// Back to before whatever would have stopped the run last; or kBegin.
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
  std::vector<Moment> moments_;  // the first one is where the past begins
  std::uint64_t interval_ = 0;  // instructions between two of them
  std::size_t bytes_ = 0;  // of their states
};

}  // namespace spica::debug
