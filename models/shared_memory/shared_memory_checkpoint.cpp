// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

template <class WordBanks>
void BasicSharedMemory<WordBanks>::objects(base::Checkpoint& checkpoint) {
  checkpoint.objects().add(const_cast<protocol::LaneMemory*>(static_cast<const protocol::LaneMemory*>(this)));
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(core_in);
  checkpoint.each(wide_in);
  checkpoint(ports_, bursts_, lanes_, cycle_, banks_, responses_, stats_);
  for (auto& chosen : chosen_) checkpoint.each(chosen);
  for (UnalignedPath& path : unaligned_) checkpoint(path);
  return true;
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
