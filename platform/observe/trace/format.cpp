// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/format.h"

#include <fmt/format.h>

namespace spica::trace {

std::string json_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else result += c;
  }
  return result;
}

std::string lane_values(const std::uint32_t* row, std::uint32_t lanes, std::uint32_t add) {
  if (lanes == 0) return "[]";
  const auto lowest = [](std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); };
  const unsigned first = lowest(lanes);
  const std::uint32_t rest = lanes & (lanes - 1);
  const std::uint32_t value = row[first] + add;
  if (rest == 0) return fmt::format("{:#x}", value);
  const unsigned second = lowest(rest);
  // Equally spaced from lane 0 on, active or not. Only whole steps count.
  const auto between = static_cast<std::int32_t>(row[second] - row[first]);
  const auto gap = static_cast<std::int32_t>(second - first);
  if (between % gap == 0) {
    const std::int32_t step = between / gap;
    const auto at = [&](unsigned lane) { return value + static_cast<std::uint32_t>(step) * (lane - first); };
    bool spaced = true;
    for (std::uint32_t left = rest; left != 0; left &= left - 1)
      spaced &= row[lowest(left)] + add == at(lowest(left));
    if (spaced && step == 0) return fmt::format("{:#x}", value);
    if (spaced && (rest & (rest - 1)) != 0) return fmt::format("{:#x}{:+}*i", at(0), step);
  }
  std::string list;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1)
    list += fmt::format("{}{:#x}", list.empty() ? "[" : ",", row[lowest(left)] + add);
  return list + "]";
}

const char* work_name(protocol::UnitWork::Kind kind) {
  switch (kind) {
    case protocol::UnitWork::Kind::kLoad: return "load";
    case protocol::UnitWork::Kind::kStore: return "store";
    case protocol::UnitWork::Kind::kPreload: return "preload";
    case protocol::UnitWork::Kind::kCompute: return "compute";
    case protocol::UnitWork::Kind::kTensor: return "tensor";
  }
  return "?";
}

std::string work_name(const protocol::UnitWork& work) {
  using Kind = protocol::UnitWork::Kind;
  using Stream = protocol::Move::Stream;
  std::string name = work_name(work.kind);
  if (work.kind != Kind::kLoad && work.kind != Kind::kStore) return name;
  switch (work.stream) {
    case Stream::kA: return name + " A";
    case Stream::kB: return name + " B";
    case Stream::kC: return name + " C";
    case Stream::kD: return name + " D";
  }
  return name;
}

std::string piece_text(const protocol::Piece& piece) {
  using Space = protocol::Piece::Space;
  const std::uint64_t columns = std::uint64_t{piece.row_bytes} * piece.blocks;
  switch (piece.space) {
    case Space::kNone: return "";
    case Space::kAccumulator: return fmt::format("accumulator row {}, {} rows", piece.address, piece.rows);
    case Space::kGlobal:
    case Space::kShared: break;
  }
  return fmt::format("{} {:#x}, {} rows of {} bytes, stride {}",
                     piece.space == Space::kGlobal ? "global" : "shared", piece.address, piece.rows, columns,
                     piece.stride);
}

}  // namespace spica::trace
