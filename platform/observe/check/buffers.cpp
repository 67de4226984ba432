// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/buffers.h"

#include <fmt/format.h>

#include <utility>

#include "platform/machine/loader/source_map.h"

namespace spica::check {

void Buffers::add(const loader::Program& program) {
  for (const loader::Symbol& symbol : program.symbols)
    if (symbol.kind == loader::Symbol::Kind::kObject && symbol.bytes != 0)
      add(loader::demangle(symbol.name), symbol.address, symbol.bytes);
}

void Buffers::add(const std::string& name, std::uint64_t address, std::uint64_t bytes, MatrixLayout matrix) {
  if (bytes == 0) return;
  all_.push_back({name, address, bytes, std::move(matrix)});
}

const Buffers::Buffer* Buffers::find(std::uint64_t address) const {
  const Buffer* best = nullptr;
  for (const Buffer& buffer : all_)
    if (buffer.contains(address) && (best == nullptr || buffer.address > best->address)) best = &buffer;
  return best;
}

namespace {

std::string numbers(const char* what, std::uint64_t first, std::uint64_t last) {
  return first == last ? fmt::format("{} {}", what, first) : fmt::format("{}s {} to {}", what, first, last);
}

}  // namespace

std::string element_text(const MatrixLayout& layout, std::uint64_t byte) {
  if (layout.format.empty()) return {};
  const std::uint64_t first = byte * 8 / layout.bits, last = (byte * 8 + 7) / layout.bits;
  if (layout.line == 0)
    return fmt::format("{} in memory ({})", numbers("element", first, last), layout.format);
  const auto line = [&](std::uint64_t element) {
    return element / layout.lines / layout.line * layout.lines + element % layout.lines;
  };
  const auto place = [&](std::uint64_t element) { return element / layout.lines % layout.line; };
  const std::string along = numbers(layout.columns ? "column" : "row", line(first), line(last));
  const std::string across = numbers(layout.columns ? "row" : "column", place(first), place(last));
  return fmt::format("{}, {} ({})", layout.columns ? across : along, layout.columns ? along : across,
                     layout.format);
}

}  // namespace spica::check
