// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"

namespace spica::simt_core {

void FrontEnd::add_to(base::Checkpoint& checkpoint) {
  decoder_.add_to(checkpoint);
  requests_.add_to(checkpoint);
}

void FrontEnd::timing(base::Checkpoint& checkpoint) {
  checkpoint(locked_, resolving_, room_, buffered_, discards_, partly_issued_, with_rest_, decoding_, turn_,
             last_ready_, waits_since_, requests_, groups_, fetch_cycles_, sent_);
  checkpoint.each(warps_);
}

void Dispatcher::add_to(base::Checkpoint& checkpoint) {
  ports_.add_to(checkpoint);
  for (const auto& unit : units_) unit->add_to(checkpoint);
}

void Dispatcher::timing(base::Checkpoint& checkpoint) {
  checkpoint(agenda_);
  ports_.timing(checkpoint);
  for (const auto& unit : units_) unit->timing(checkpoint);
}

}  // namespace spica::simt_core
