// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "models/protocol/ports/load_reuse_if.h"
#include "models/protocol/ports/warp_mma_if.h"
#include "models/simt_core/pipeline/units/load_store_unit.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::tensor_core::warp_mma {

using simt_core::Candidate;
using simt_core::Decoded;

/// The core's unit for a tensor core with fragments in registers: wmma32.
///
/// Issue    the steps of an operation, one after the other, each when the tensor core can take it; nothing else of the
///          warp issues in between. Values are computed with the last step. A load or store sends one phase per cycle
///          through the warp's load/store unit. Other instructions on fragments move one register row
/// Order    an operation waits for loads into its fragments, and for operations that compute its A or B; for C, the
///          tensor core tracks when each part is ready. All other reads and writes of a fragment wait for everything in
///          progress on it
/// Reuse    with `load_reuse`, a load that another warp of the core has performed takes an issue slot but is not
///          performed again
class FragmentUnit final : public simt_core::TensorUnit, public simt_core::FragmentLoads {
 public:
  explicit FragmentUnit(const simt_core::TensorSite& site);
  sc_core::sc_port<protocol::WarpMmaIf> tensor{"warp_tensor"};
  /// To the block that tracks which loads of fragments other warps have performed, if present.
  sc_core::sc_port<protocol::LoadReuseIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> load_reuse{"load_reuse"};
  void connect() override {
    tensor_ = tensor.operator->();
    if (load_reuse.size() != 0) reuse_ = load_reuse.operator->();
  }

  bool offer(const Candidate& c) override;
  /// Issues the next step of the started operation, or the next phase of the started load or store, of warp `w`.
  bool resume(unsigned w, base::Cycle now) override;
  void tick(base::Cycle now) override;
  bool done() const override { return last_due_ <= stages_.core.now() && followers_.empty(); }
  void reset() override;
  void timing(base::Checkpoint& checkpoint) override;
  /// Adds the warps for whose loads these warps wait (fragment_reuse.cpp).
  std::uint32_t with_leaders(std::uint32_t warps) const override;

 private:
  /// The instruction at the head of a warp's buffer, and its operations in progress.
  struct Warp {
    const Decoded* current = nullptr;  // nullptr: nothing
    std::uint32_t pc = 0;
    simt_core::FragmentMove move;  // of the started load or store
    unsigned phase = 0;  // its next phase
    std::uint32_t loading = 0;  // fragments, one bit each, with load phases in flight
    std::array<std::uint8_t, isa::kFragmentSlots> loads{};  // number of these phases
    base::Cycle wakes = 0;  // cycle of the next attempt
    std::array<base::Cycle, isa::kFragmentSlots>
        due{};  // when the computation or load of the fragment is complete
    std::array<base::Cycle, isa::kFragmentSlots> read{};  // until when issued operations read the fragment
  };
  /// A load that is not performed: its value is that of warp `leader`, whose own load is in flight.
  struct Follower {
    unsigned warp = 0, leader = 0, fragment = 0;
    const Decoded* instruction = nullptr;
    std::uint32_t pc = 0;
  };
  bool waits_for_fragments(unsigned w, const isa::FragmentUse& use, base::Cycle now, bool operation);
  bool begin(const Candidate& c);
  bool begin_move(const Candidate& c);
  bool resume_step(unsigned w, base::Cycle now);
  bool resume_phase(unsigned w, base::Cycle now);
  void on_phase(unsigned warp, unsigned fragment, base::Cycle due) override;
  void arrive(unsigned w, unsigned fragment, base::Cycle due);
  /// True if a load of the fragment is in flight or has phases left to issue.
  bool loads(unsigned w, unsigned fragment) const {
    const Warp& warp = warps_[w];
    return (warp.loading >> fragment & 1) != 0 ||
           (warp.current != nullptr && warp.current->format == isa::Format::kFragmentLoad &&
            warp.move.fragment == fragment);
  }
  // loads that another warp has performed (fragment_reuse.cpp)
  bool reuses(const Candidate& c);
  void follow(const Candidate& c, unsigned leader);
  void copy(unsigned from, unsigned to, unsigned fragment);
  void notify_followers(unsigned w, unsigned fragment, base::Cycle due);
  void move(const Candidate& c);
  void wait_until(unsigned w, base::Cycle cycle);
  void hold_others(unsigned w, base::Cycle until);
  void record_due(unsigned w, unsigned fragment, base::Cycle due);

  const std::vector<simt_core::LoadStoreUnit*>& load_store_;
  protocol::WarpMmaIf* tensor_ = nullptr;
  protocol::LoadReuseIf* reuse_ = nullptr;  // nullptr: not present
  base::Cycle last_due_ = 0;  // cycle in which all results are ready
  std::uint32_t waiting_ = 0;  // warps, a bit each, with `wakes`
  std::uint32_t operating_ = 0;  // warps, a bit each, with a started operation
  std::array<Warp, 32> warps_{};
  std::vector<Follower> followers_;
};

}  // namespace spica::tensor_core::warp_mma
