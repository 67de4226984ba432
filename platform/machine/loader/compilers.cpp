// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/compilers.h"

#include <gelf.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "platform/base/input/printable.h"

namespace spica::loader {

namespace {

constexpr std::size_t kMost = 8, kLongest = 200;

void add_compilers(std::string_view text, std::vector<std::string>& compilers) {
  while (!text.empty() && compilers.size() < kMost) {
    const std::string_view one = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    std::string name = input::printable(std::string(one.substr(0, kLongest)));
    if (name.empty() || name.rfind("Linker: ", 0) == 0) continue;
    if (std::find(compilers.begin(), compilers.end(), name) == compilers.end())
      compilers.push_back(std::move(name));
  }
}

}  // namespace

std::vector<std::string> compilers_of(const Program& program) {
  std::vector<std::string> compilers;
  elf_version(EV_CURRENT);
  std::vector<unsigned char> image = program.image;  // libelf takes a writable one
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(
      elf_memory(reinterpret_cast<char*>(image.data()), image.size()), &elf_end);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0) return compilers;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf.get(), scn)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
    const char* const name = elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr || std::string_view(name) != ".comment") continue;
    const Elf_Data* const data = elf_getdata(scn, nullptr);
    if (data != nullptr && data->d_buf != nullptr)
      add_compilers({static_cast<const char*>(data->d_buf), data->d_size}, compilers);
  }
  std::stable_partition(compilers.begin(), compilers.end(),
                        [](const std::string& name) { return name.rfind("GCC: ", 0) == 0; });
  return compilers;
}

}  // namespace spica::loader
