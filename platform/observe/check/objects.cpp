// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/objects.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>

#include "platform/base/input/printable.h"
#include "platform/machine/loader/source_map.h"

namespace spica::check {

namespace {

// An object begins at a multiple of at most this many bytes: a larger gap is something without a symbol.
constexpr std::uint64_t kLargestGap = 63;

const Objects::Range* find(const std::vector<Objects::Range>& ranges, std::uint64_t address) {
  for (const Objects::Range& range : ranges)
    if (range.contains(address)) return &range;
  return nullptr;
}

}  // namespace

Objects::Objects(const loader::Program& program) {
  read_sections(program);
  read_symbols(program);
}

void Objects::add(const loader::Program& program) {
  const Objects others(program);
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(read_only_, others.read_only_);
  append(data_, others.data_);
  append(objects_, others.objects_);
  append(marks_, others.marks_);
  sort();
}

void Objects::sort() {
  std::stable_sort(objects_.begin(), objects_.end(),
                   [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::sort(marks_.begin(), marks_.end());
  for (const std::vector<Range>* ranges : {&data_, &objects_})
    for (const Range& range : *ranges) end_ = std::max(end_, range.end);
}

void Objects::read_sections(const loader::Program& program) {
  elf_version(EV_CURRENT);
  std::vector<unsigned char> image = program.image;  // libelf takes a writable one
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(
      elf_memory(reinterpret_cast<char*>(image.data()), image.size()), &elf_end);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0) return;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_ALLOC) == 0 ||
        header.sh_size == 0)
      continue;
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    const Range range{input::printable(name != nullptr ? name : "?"), header.sh_addr,
                      header.sh_addr + header.sh_size};
    const std::string& text = range.name;
    // The host and other programs fill arguments and operands as they like.
    if ((header.sh_flags & SHF_WRITE) == 0) read_only_.push_back(range);
    else if (text == ".data" || text == ".sdata" || text == ".bss" || text == ".sbss") data_.push_back(range);
  }
}

void Objects::read_symbols(const loader::Program& program) {
  const auto merged = [](const loader::Symbol& s) {
    return s.name.find("_MergedGlobals") != std::string::npos;
  };
  if (std::any_of(program.symbols.begin(), program.symbols.end(), merged))
    data_.clear();  // objects without symbols
  for (const loader::Symbol& symbol : program.symbols) {
    if (find(data_, symbol.address) == nullptr && find(read_only_, symbol.address) == nullptr) continue;
    if (symbol.kind == loader::Symbol::Kind::kObject && symbol.bytes != 0)
      objects_.push_back({loader::demangle(symbol.name), symbol.address, symbol.address + symbol.bytes});
    else if (symbol.name.compare(0, 2, "__") != 0) marks_.push_back(symbol.address);
  }
  sort();
}

const Objects::Range* Objects::read_only(std::uint64_t address) const { return find(read_only_, address); }

Objects::Place Objects::place(std::uint64_t address) const {
  const auto next = std::upper_bound(objects_.begin(), objects_.end(), address,
                                     [](std::uint64_t at, const Range& range) { return at < range.begin; });
  if (next == objects_.begin()) return {};
  // Objects overlap only where one symbol is a part of another.
  const Range* before = &*std::prev(next);
  for (auto at = next; at != objects_.begin() && next - at < 4;)
    if ((--at)->contains(address)) return {&*at, true};
  if (find(data_, address) == nullptr) return {};
  const auto mark = std::lower_bound(marks_.begin(), marks_.end(), before->end);
  if ((mark != marks_.end() && *mark <= address) || address - before->end > kLargestGap) return {};
  return {before, false};
}

}  // namespace spica::check
