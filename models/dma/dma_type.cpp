// SPDX-License-Identifier: Apache-2.0
// What a DMA says of itself.
#include "models/dma/dma.h"

namespace spica::dma {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "dma";
  type.order = 90;
  type.events = {{"dma.beat",
                  {{"read_beats"}, {"write_beats"}},
                  "beat",
                  "beats",
                  {},
                  "bus beats through the DMA's buffers, addresses included"},
                 {"dma.row",
                  {{"shared_writes"}, {"accumulator_accesses"}},
                  "row",
                  "rows",
                  {},
                  "rows moved to shared memory, from or to the accumulator"}};
  type.idle = base::IdleEnergy{"idle", "a DMA engine"};
  type.charts = {{"DMA {}, reader", false, "reader", {"bytes_a", "bytes_b", "bytes_d"}}};
  type.timeline_accounts = {"reader", "writer"};
  type.meters = {{"DMA loads", "bytes", {"bytes_a", "bytes_b", "bytes_d"}},
                 {"DMA stores", "bytes", {"bytes_stored_global", "bytes_stored_shared"}}};
  return type;
}

}  // namespace

const base::BlockType& Dma::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(Dma::block_type());
}

}  // namespace spica::dma
