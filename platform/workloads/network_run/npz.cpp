// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/npz.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/npy_header.h"

namespace spica::network {

namespace {

struct Type {
  const char* descr;
  ElementType element;
};
constexpr Type kTypes[] = {
    {"<f4", ElementType::kFp32},   {"<f2", ElementType::kFp16},   {"<f8", ElementType::kFp64},
    {"|i1", ElementType::kInt8},   {"|u1", ElementType::kUint8},  {"<i2", ElementType::kInt16},
    {"<u2", ElementType::kUint16}, {"<i4", ElementType::kInt32},  {"<u4", ElementType::kUint32},
    {"<i8", ElementType::kInt64},  {"<u8", ElementType::kUint64}, {"|b1", ElementType::kBool}};
constexpr std::string_view kSuffix = ".npy";
constexpr std::size_t kLongestName = 4096, kPiece = std::size_t{1} << 24;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;  // of an array, before it is read

struct Close {
  void operator()(unzFile archive) const { unzClose(archive); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw input::UserError(fmt::format("{}: {}", input::printable(path), why));
}

Constant array_of(const std::string& place, std::shared_ptr<std::vector<unsigned char>> bytes) {
  const auto header =
      workloads::read_npy_header(place, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                        [&](const Type& one) { return header.descr == one.descr; });
  if (type == std::end(kTypes))
    refuse(place, fmt::format("has elements of type '{}', which no tensor of a network has",
                              input::printable(header.descr)));
  if (header.fortran_order && header.extents.size() > 1)
    refuse(place, "is in Fortran order: save numpy.ascontiguousarray(array)");
  Constant array;
  array.type = type->element;
  for (const std::uint64_t extent : header.extents)
    array.extents.push_back(static_cast<std::int64_t>(extent));
  if (bytes->size() - header.end != array.bytes())
    refuse(place, fmt::format("has {} bytes of elements; {} need {}", bytes->size() - header.end,
                              extents_text(array.extents), array.bytes()));
  array.data = bytes->data() + header.end;
  array.owner = std::move(bytes);
  return array;
}

/// Bit by bit, so that a damaged size claims no memory.
void read_all(unzFile archive, std::uint64_t size, std::vector<unsigned char>& bytes) {
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min<std::uint64_t>(size, before + kPiece));
    const int got =
        unzReadCurrentFile(archive, bytes.data() + before, static_cast<unsigned>(bytes.size() - before));
    bytes.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    if (got <= 0) return;
  }
}

}  // namespace

std::map<std::string, Constant> read_npz(const std::string& path) {
  const std::unique_ptr<std::remove_pointer_t<unzFile>, Close> archive(unzOpen64(path.c_str()));
  if (archive == nullptr) refuse(path, "is not a readable file of numpy.savez (.npz)");
  std::map<std::string, Constant> arrays;
  for (int next = unzGoToFirstFile(archive.get()); next == UNZ_OK; next = unzGoToNextFile(archive.get())) {
    unz_file_info64 entry;
    char name[kLongestName];
    if (unzGetCurrentFileInfo64(archive.get(), &entry, name, sizeof name, nullptr, 0, nullptr, 0) != UNZ_OK ||
        entry.size_filename >= sizeof name || unzOpenCurrentFile(archive.get()) != UNZ_OK)
      refuse(path, "is damaged");
    const std::string place = fmt::format("{} ({})", path, name);
    if (entry.uncompressed_size > kMostBytes) refuse(place, "is larger than 16 GB");
    auto bytes = std::make_shared<std::vector<unsigned char>>();
    read_all(archive.get(), entry.uncompressed_size, *bytes);
    if (unzCloseCurrentFile(archive.get()) != UNZ_OK || bytes->size() != entry.uncompressed_size)
      refuse(place, "is damaged");
    std::string array = name;
    if (array.size() > kSuffix.size() && array.substr(array.size() - kSuffix.size()) == kSuffix)
      array.resize(array.size() - kSuffix.size());
    arrays[array] = array_of(place, std::move(bytes));
  }
  return arrays;
}

void write_npz(const std::string& path, const std::map<std::string, Constant>& arrays) {
  const zipFile archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  bool is_good = archive != nullptr;
  for (const auto& [name, array] : arrays) {
    const auto* const type =
        std::find_if(std::begin(kTypes), std::end(kTypes),
                     [element = array.type](const Type& one) { return element == one.element; });
    if (!is_good || type == std::end(kTypes)) continue;
    const std::string header = workloads::npy_header(
        type->descr, std::vector<std::uint64_t>(array.extents.begin(), array.extents.end()));
    const zip_fileinfo no_date{};
    is_good = zipOpenNewFileInZip64(archive, (name + std::string(kSuffix)).c_str(), &no_date, nullptr, 0,
                                    nullptr, 0, nullptr, 0, 0, 1) == ZIP_OK &&
              zipWriteInFileInZip(archive, header.data(), static_cast<unsigned>(header.size())) == ZIP_OK;
    for (std::size_t at = 0; is_good && at < array.bytes(); at += kPiece)
      is_good = zipWriteInFileInZip(archive, array.data + at,
                                    static_cast<unsigned>(std::min(kPiece, array.bytes() - at))) == ZIP_OK;
    is_good = is_good && zipCloseFileInZip(archive) == ZIP_OK;
  }
  if (archive == nullptr || zipClose(archive, nullptr) != ZIP_OK || !is_good)
    refuse(path, "cannot be written");
}

}  // namespace spica::network
