// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <systemc>

#include "models/barrier/arrival_table.h"
#include "models/barrier/barrier_params.h"
#include "models/barrier/barrier_view.h"
#include "models/base/block.h"
#include "models/protocol/ports/barrier_if.h"
#include "models/protocol/ports/work_group_if.h"

namespace spica::barrier {

/// The barrier synchronizer of the fast mode: the last arrival releases all cores at once.
class FastBarrier final : public sc_core::sc_module,
                          public base::Block,
                          public BarrierView,
                          private protocol::BarrierIf,
                          private protocol::BarrierShareIf {
 public:
  FastBarrier(const sc_core::sc_module_name& name, const BarrierParams& params)
      : sc_module(name),
        release("release", params.cores),
        table_(static_cast<unsigned>(params.ids), static_cast<unsigned>(params.cores)) {
    in.bind(*this);
    shares.bind(*this);
  }

  sc_core::sc_export<protocol::BarrierIf> in{"in"};
  sc_core::sc_export<protocol::BarrierShareIf> shares{"shares"};
  sc_core::sc_vector<sc_core::sc_port<protocol::BarrierReleaseIf>> release;  // by core

  unsigned ids() const override { return table_.ids(); }
  std::uint32_t arrived(unsigned id) const override { return table_.arrived(id); }
  void reset() override { table_.reset(); }
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream& out) const override {
    for (unsigned id = 0; id < ids(); ++id)
      if (arrived(id) != 0)
        out << name() << ": id " << id << ": cores complete 0x" << std::hex << arrived(id) << std::dec
            << '\n';
  }

 private:
  void arrive(unsigned core, unsigned id) override {
    table_.arrive(core, id % table_.ids(), 0);
    release_complete();
  }

  void release_complete() {
    while (table_.any_complete()) {
      const ArrivalTable::Release done = table_.release();
      for (unsigned i = 0; i < release.size(); ++i)
        if ((done.cores >> i & 1) != 0) release[i]->release(done.id, done.without_some);
    }
  }

  void share(unsigned first, unsigned count, std::uint32_t cores) override {
    for (unsigned id = first; id < first + count; ++id) table_.share(id, cores);
  }

  void leave(unsigned first, unsigned count, unsigned core) override {
    for (unsigned id = first; id < first + count; ++id) table_.leave(id, core);
    release_complete();
  }

  ArrivalTable table_;
};

}  // namespace spica::barrier
