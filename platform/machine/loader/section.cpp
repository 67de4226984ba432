// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/section.h"

#include <gelf.h>
#include <libelf.h>

#include <memory>

namespace spica::loader {

std::vector<unsigned char> section_bytes(const Program& program, const std::string& name) {
  elf_version(EV_CURRENT);
  std::vector<unsigned char> image = program.image;  // libelf takes a writable one
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(
      elf_memory(reinterpret_cast<char*>(image.data()), image.size()), &elf_end);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0) return {};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* found = elf_strptr(elf.get(), names, header.sh_name);
    if (found == nullptr || name != found) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    const auto* bytes = static_cast<const unsigned char*>(data->d_buf);
    return {bytes, bytes + data->d_size};
  }
  return {};
}

}  // namespace spica::loader
