// SPDX-License-Identifier: Apache-2.0
#include "platform/check/buffers.h"

#include "platform/loader/source_map.h"

namespace spica::check {

Buffers::Buffers(const loader::Program& program) {
  for (const loader::Symbol& symbol : program.symbols)
    if (symbol.kind == loader::Symbol::Kind::kObject && symbol.bytes != 0)
      add(loader::demangle(symbol.name), symbol.address, symbol.bytes);
}

void Buffers::add(const std::string& name, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  all_.push_back({name, address, bytes});
}

const Buffers::Buffer* Buffers::find(std::uint64_t address) const {
  const Buffer* best = nullptr;
  for (const Buffer& buffer : all_)
    if (buffer.contains(address) && (best == nullptr || buffer.address > best->address)) best = &buffer;
  return best;
}

}  // namespace spica::check
