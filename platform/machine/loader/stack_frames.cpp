// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/stack_frames.h"

#include <gelf.h>
#include <libelf.h>

#include <cstring>
#include <string_view>

namespace spica::loader {

namespace {

void read_entries(std::string_view bytes, StackFrames& frames) {
  constexpr unsigned kMostShift = 28;  // of a number of 32 bits
  while (bytes.size() > 4) {
    std::uint32_t address = 0, size = 0;
    std::memcpy(&address, bytes.data(), sizeof address);
    std::size_t at = 4;
    bool has_more = true;
    for (unsigned shift = 0; has_more; shift += 7) {
      if (at == bytes.size() || shift > kMostShift) return;
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      size |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
      has_more = (byte & 0x80) != 0;
    }
    frames[address] = size;
    bytes.remove_prefix(at);
  }
}

}  // namespace

StackFrames read_stack_frames(Elf* elf) {
  StackFrames frames;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return frames;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::string_view(name) != ".stack_sizes") continue;
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data != nullptr && data->d_buf != nullptr)
      read_entries({static_cast<const char*>(data->d_buf), data->d_size}, frames);
  }
  return frames;
}

}  // namespace spica::loader
