// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "platform/base/input/user_error.h"

namespace spica::sweep {

namespace {

constexpr std::size_t kFrameBytes = std::size_t{1} << 18;  // of text: what is unpacked for a single line
constexpr std::size_t kLongestFrame = std::size_t{1}
                                      << 26;  // of a file that another program may have changed
constexpr int kLevel = 9;

[[noreturn]] void has_gone(const std::filesystem::path& path) {
  throw input::UserError(fmt::format(
      "{} has been removed or changed; if records were merged meanwhile, repeat the command", path.string()));
}

}  // namespace

LineFile::LineFile(std::filesystem::path path)
    : path_(std::move(path)), is_packed_(path_.extension() == ".zst") {}

void LineFile::open() {
  if (!stream_.is_open()) stream_.open(path_, std::ios::binary);
  stream_.clear();
}

void LineFile::close() {
  stream_.close();
  known_frame_ = ~std::uint64_t{0};
  frame_.clear();
  frame_.shrink_to_fit();
}

void LineFile::for_each(const Visit& visit) {
  open();
  if (is_packed_) return for_each_in_frames(visit);
  stream_.seekg(0);
  Place place;
  for (std::string line; std::getline(stream_, line);) {
    place.length = static_cast<std::uint32_t>(line.size());
    visit(line, place, !stream_.eof());
    place.frame += line.size() + 1;
  }
}

void LineFile::for_each_in_frames(const Visit& visit) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  for (std::uint64_t frame = 0; !error && frame < size; frame = next_frame_) {
    if (!read_frame(frame)) return visit("", {frame, 0, 0}, false);
    const std::string text = frame_;  // `visit` may look for other lines
    const std::uint64_t next = next_frame_;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      visit(text.substr(begin, end - begin),
            {frame, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)},
            end != text.size());
      begin = end + 1;
    }
    next_frame_ = next;
  }
}

bool LineFile::read_frame(std::uint64_t offset) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::array<char, std::size_t{1} << 16> packed{}, text{};
  frame_.clear();
  known_frame_ = ~std::uint64_t{0};
  open();
  stream_.seekg(static_cast<std::streamoff>(offset));
  next_frame_ = offset;
  while (stream_) {
    stream_.read(packed.data(), packed.size());
    ZSTD_inBuffer in{packed.data(), static_cast<std::size_t>(stream_.gcount()), 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0 || frame_.size() + out.pos > kLongestFrame) return false;
      frame_.append(text.data(), out.pos);
      if (left != 0) continue;
      next_frame_ += in.pos;
      known_frame_ = offset;
      return true;
    }
    next_frame_ += in.size;
  }
  return false;  // it is cut
}

std::string LineFile::line(const Place& place) {
  if (is_packed_) {
    if (known_frame_ != place.frame && !read_frame(place.frame)) has_gone(path_);
    if (place.offset + place.length > frame_.size()) has_gone(path_);
    return frame_.substr(place.offset, place.length);
  }
  std::string text(place.length, '\0');
  open();
  stream_.seekg(static_cast<std::streamoff>(place.frame));
  if (!stream_.read(text.data(), place.length)) has_gone(path_);
  return text;
}

PackedLines::PackedLines(std::filesystem::path path)
    : path_(std::move(path)), stream_(path_, std::ios::binary) {
  if (!stream_) throw input::UserError(fmt::format("cannot write {}", path_.string()));
}

void PackedLines::add(const std::string& line) {
  text_ += line + '\n';
  if (text_.size() >= kFrameBytes) write_frame();
}

void PackedLines::write_frame() {
  std::string packed(ZSTD_compressBound(text_.size()), '\0');
  const std::size_t bytes = ZSTD_compress(packed.data(), packed.size(), text_.data(), text_.size(), kLevel);
  stream_.write(packed.data(), static_cast<std::streamsize>(bytes));
  text_.clear();
}

void PackedLines::finish() {
  if (!text_.empty()) write_frame();
  stream_.close();
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_safe = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!stream_ || !is_safe)
    throw input::UserError(fmt::format("cannot write {}: the disk is full or faulty", path_.string()));
}

}  // namespace spica::sweep
