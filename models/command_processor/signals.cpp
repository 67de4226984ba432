// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/signals.h"

namespace spica::command_processor {

std::optional<std::uint64_t> Signals::value_of(std::uint32_t signal) const {
  std::uint64_t value = 0;
  Bytes bytes;
  if (!outside_.read(signal, bytes.data(), protocol::kSignalBytes)) return std::nullopt;
  for (unsigned i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << 8 * i;
  return value;
}

std::optional<std::uint32_t> Signals::write_next() {
  const std::uint32_t signal = pending_.front();
  pending_.pop_front();
  const auto value = value_of(signal);
  Bytes bytes{};
  for (unsigned i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>((value.value_or(0) - 1) >> 8 * i);
  if (!value || !outside_.write(signal, bytes.data(), protocol::kSignalBytes)) return signal;
  return std::nullopt;
}

std::vector<std::uint32_t> Signals::open(const protocol::Packet& barrier) const {
  std::vector<std::uint32_t> open;
  for (const std::uint32_t signal : barrier.waits)
    if (signal != 0 && value_of(signal) != 0u) open.push_back(signal);
  return open;
}

}  // namespace spica::command_processor
