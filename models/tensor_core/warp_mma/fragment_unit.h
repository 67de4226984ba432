// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "models/protocol/load_reuse_if.h"
#include "models/protocol/warp_mma_if.h"
#include "models/simt_core/pipeline/units/load_store_unit.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::tensor_core::warp_mma {

using simt_core::Candidate;
using simt_core::Decoded;

/// The way to a tensor core of fragments in registers: wmma32.
///
/// Issue    the steps of an operation, one after the other, each when the tensor core can take it; nothing else of the
///          warp issues in between. Values are computed with the last step. A load or store sends a phase per cycle
///          through the warp's load/store unit. Other instructions on fragments move a register row
/// Order    an operation waits for loads into its fragments, and for its A and B until operations that compute them are
///          done; for C the tensor core itself knows when which part is there. Whatever else reads or writes a fragment
///          waits for all under way
/// Reuse    with `load_reuse`, a load that another warp of the core has done takes an issue slot and is not done
class FragmentUnit final : public simt_core::TensorUnit, public simt_core::FragmentLoads {
 public:
  explicit FragmentUnit(const simt_core::TensorSite& site);
  sc_core::sc_port<protocol::WarpMmaIf> tensor{"warp_tensor"};
  /// Who knows which loads of fragments another warp has done, if present.
  sc_core::sc_port<protocol::LoadReuseIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> load_reuse{"load_reuse"};
  void connect() override {
    tensor_ = tensor.operator->();
    if (load_reuse.size() != 0) reuse_ = load_reuse.operator->();
  }

  bool offer(const Candidate& c) override;
  /// The next step of the operation, or the next phase of the load or store, of warp `w` that has begun.
  bool resume(unsigned w, base::Cycle now) override;
  void tick(base::Cycle now) override;
  bool done() const override { return last_due_ <= stages_.core.now() && followers_.empty(); }
  void reset() override;
  void timing(base::Checkpoint& checkpoint) override;
  /// Those whose loads they wait for: fragment_reuse.cpp.
  std::uint32_t with_leaders(std::uint32_t warps) const override;

 private:
  /// The instruction at the head of a warp's buffer, and what is under way.
  struct Warp {
    const Decoded* begun = nullptr;  // nullptr: nothing
    std::uint32_t pc = 0;
    simt_core::FragmentMove move;  // of a load or store,
    unsigned phase = 0;  // and its next phase
    std::uint32_t loading = 0;  // fragments, a bit each, that phases are on their way to,
    std::array<std::uint8_t, isa::kFragmentSlots> loads{};  // and how many
    base::Cycle wakes = 0;  // when it is tried again
    std::array<base::Cycle, isa::kFragmentSlots> due{};  // when what computes or loads a fragment is done
    std::array<base::Cycle, isa::kFragmentSlots> read{};  // until when what has issued reads it
  };
  /// A load that is not done: its fragment is that of `leader`, whose own load is under way.
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
  /// A load of the fragment is under way, or phases of it have yet to issue.
  bool loads(unsigned w, unsigned fragment) const {
    const Warp& warp = warps_[w];
    return (warp.loading >> fragment & 1) != 0 ||
           (warp.begun != nullptr && warp.begun->format == isa::Format::kFragmentLoad &&
            warp.move.fragment == fragment);
  }
  // loads that another warp has done (fragment_reuse.cpp)
  bool reuses(const Candidate& c);
  void follow(const Candidate& c, unsigned leader);
  void copy(unsigned from, unsigned to, unsigned fragment);
  void notify_followers(unsigned w, unsigned fragment, base::Cycle due);
  void move(const Candidate& c);
  void wait_until(unsigned w, base::Cycle cycle);
  void hold_others(unsigned w, base::Cycle until);
  void note_due(unsigned w, unsigned fragment, base::Cycle due);

  const std::vector<simt_core::LoadStoreUnit*>& load_store_;
  protocol::WarpMmaIf* tensor_ = nullptr;
  protocol::LoadReuseIf* reuse_ = nullptr;  // nullptr: no block
  base::Cycle last_due_ = 0;  // when all results are there
  std::uint32_t waiting_ = 0;  // warps, a bit each, with `wakes`
  std::uint32_t operating_ = 0;  // warps, a bit each, with an operation that has begun
  std::array<Warp, 32> warps_{};
  std::vector<Follower> followers_;
};

}  // namespace spica::tensor_core::warp_mma
