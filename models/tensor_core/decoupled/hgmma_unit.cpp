// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/decoupled/hgmma_unit.h"

#include <cstring>

#include "models/base/checkpoint.h"
#include "models/tensor_core/decoupled/tile_addresses.h"

namespace spica::tensor_core {

using simt_core::Candidate;
using simt_core::Context;
using simt_core::IssueReason;

HgmmaUnit::HgmmaUnit(const simt_core::TensorSite& site)
    : TensorUnit(site.stages, site.agenda, site.number),
      last_rows_(site.stages.core.params.commit_latency + 2) {
  tensor_registers.bind(*this);
  stages_.core.shares_third_port = true;
}

bool HgmmaUnit::offer(const Candidate& c) {
  const bool product = c.instruction.opcode == isa::Opcode::kHgmma;
  if (!product && c.instruction.opcode != isa::Opcode::kHgmmaWait) return TensorUnit::offer(c);
  if (stages_.scoreboard.waits_for(c.warp, c.instruction.reads)) return false;
  if (stages_.lines.stands(c.warp)) return wait_for(c.warp, IssueReason::kUnitBusy);
  if (product) {
    if (!offer_product(c)) return false;
  } else {
    if (products_[c.warp] != 0) return wait_for(c.warp, IssueReason::kTensor);
    const simt_core::Params& params = stages_.core.params;
    stages_.commit.complete(c.now, c.warp, c.instruction, c.pc, c.lanes,
                            c.now + params.operand_latency + 1 + params.commit_latency, false);
  }
  ++stages_.core.stats.dispatches;
  issue(c, IssueReason::kTensor);
  return true;
}

bool HgmmaUnit::offer_product(const Candidate& c) {
  if (products_[c.warp] == tensor_->most_in_flight()) return wait_for(c.warp, IssueReason::kTensor);
  if (!tensor_->room(c.warp)) return wait_for(c.warp, IssueReason::kUnitBusy);
  Context& core = stages_.core;
  Tiles tiles;
  simt_core::GuestError error;
  if (!find_tiles(c.instruction, core.state[c.warp].registers, core.map, tiles, error))
    return refuse(c, error);
  protocol::TileProduct product;
  product.a = tiles.a;
  product.b = tiles.b;
  product.origin = core.identity.origin(c.warp, c.pc, c.mask);
  product.ready = c.now + core.params.operand_latency;
  tensor_->push(product);
  ++products_[c.warp];
  return true;
}

void HgmmaUnit::read_accumulator(unsigned w, unsigned f, protocol::TensorRow& row) {
  Context& core = stages_.core;
  std::memcpy(row.data(), core.state[w].registers.row(static_cast<std::uint8_t>(isa::kFloatRow + f)),
              sizeof row);
  ++core.stats.register_reads;
  core.third_port_taken = core.now();
}

bool HgmmaUnit::write_accumulator(unsigned w, unsigned f, const protocol::TensorRow& row, bool last) {
  Context& core = stages_.core;
  const base::Cycle due = core.now() + core.params.commit_latency;
  if (!stages_.commit.pass_row(w, due)) return false;
  std::memcpy(core.state[w].registers.row(static_cast<std::uint8_t>(isa::kFloatRow + f)), row.data(),
              sizeof row);
  ++core.stats.register_writes;
  ++core.stats.accumulator_rows;
  if (!last) return true;
  last_rows_.push({w, due});
  plan(last_rows_.front().due);
  core.core.wake_at(due);
  if (due == core.now()) tick(due);
  return true;
}

/// An instruction whose last row is written is done.
void HgmmaUnit::tick(base::Cycle now) {
  while (!last_rows_.empty() && last_rows_.front().due <= now) {
    const unsigned w = last_rows_.pop().warp;
    --products_[w];
    stages_.scoreboard.wake(w);
  }
  replan(last_rows_.empty() ? base::kNever : last_rows_.front().due);
}

void HgmmaUnit::on_room(unsigned w) { wake_for_room(w); }

void HgmmaUnit::reset() {
  ExecutionUnit::reset();
  products_.fill(0);
  last_rows_.clear();
}

void HgmmaUnit::timing(base::Checkpoint& checkpoint) {
  ExecutionUnit::timing(checkpoint);
  checkpoint(products_, last_rows_);
}

}  // namespace spica::tensor_core
