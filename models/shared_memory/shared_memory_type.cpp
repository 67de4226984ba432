// SPDX-License-Identifier: Apache-2.0
// The description of a shared memory, and the choice of its class by the number of word banks.
#include "models/base/checkpoint.h"
#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

namespace {

std::vector<base::EnergyEvent> shared_memory_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"shared_memory.core_read", {{"core_words_read"}}, "word", "cores", {"shared_words_read"},
       "words read by lanes"},
      {"shared_memory.core_write", {{"core_words_written"}}, "word", "cores", {"shared_words_written"},
       "words written by lanes"},
      {"shared_memory.matrix_a_read", {{"matrix_a*_words_read"}}, "word", "matrix_unit", {},
       "operand words of A read by matrix units"},
      {"shared_memory.matrix_b_read", {{"matrix_b*_words_read"}}, "word", "matrix_unit", {},
       "operand words of B read by matrix units"},
      {"shared_memory.matrix_write", {{"matrix_write*_words_written"}}, "word", "matrix_unit", {},
       "words written by matrix units"},
      {"shared_memory.tensor_read", {{"tensor_core*_words_read"}}, "word", "tensor_cores", {},
       "operand words read by decoupled tensor cores"},
      {"shared_memory.dma_read", {{"dma*_words_read"}}, "word", "dma", {}, "words read by DMA"},
      {"shared_memory.dma_write", {{"dma*_words_written"}}, "word", "dma", {}, "words written by DMA"},
  };
  // clang-format on
}

base::BlockType make_type() {
  base::BlockType type;
  type.name = "shared_memory";
  type.order = 70;
  type.events = shared_memory_events();
  type.idle = base::IdleEnergy{"idle", "the shared memory of a cluster"};
  type.reasons = {{"serialising", "the path of unaligned lanes"},
                  {"bank_conflict", "a word bank that another request uses"}};
  type.channels = {{"shared memory", {"bank_*_words_read", "bank_*_words_written"}, "word_banks"}};
  type.timeline_counters = {"bank_*_words_read", "bank_*_words_written"};
  return type;
}

}  // namespace

const base::BlockType& SharedMemoryBlock::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(SharedMemoryBlock::block_type());
}

std::unique_ptr<SharedMemoryBlock> make_shared_memory(const sc_core::sc_module_name& name,
                                                      const SharedMemoryParams& params,
                                                      const base::ClockDomain& clock) {
  const std::uint64_t banks = params.banks * params.words;
  if (banks <= kMostWordBanks<WordBanks>) return std::make_unique<SharedMemory>(name, params, clock);
  if (banks <= kMostWordBanks<BankSet<4>>)
    return std::make_unique<BasicSharedMemory<BankSet<4>>>(name, params, clock);
  return std::make_unique<BasicSharedMemory<BankSet<32>>>(name, params, clock);
}

void SharedMemoryBlock::architecture(base::Checkpoint& checkpoint) { checkpoint.bytes(data(), size()); }

}  // namespace spica::shared_memory
