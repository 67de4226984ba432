// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace spica::sweep {

/// A file of lines: plain text, or, with the ending .zst, Zstandard frames of some lines each, one after the other (RFC
/// 8878; `zstd -dc` prints them). Lines are found again by their place.
class LineFile {
 public:
  struct Place {
    std::uint64_t frame = 0;  // plain text: of the line itself
    std::uint32_t offset = 0;  // in the frame's text
    std::uint32_t length = 0;  // without the line end
  };
  /// `is_whole`: the line has its end.
  using Visit = std::function<void(const std::string& line, const Place& place, bool is_whole)>;

  explicit LineFile(std::filesystem::path path);

  /// Calls `visit` with each line. A frame that is damaged ends the file with a line that is not whole.
  void for_each(const Visit& visit);
  /// Throws UserError when the file has gone, or is another one by now.
  std::string line(const Place& place);
  const std::filesystem::path& path() const { return path_; }
  /// It is opened again when it is needed.
  void close();

 private:
  void open();
  bool read_frame(std::uint64_t offset);
  void for_each_in_frames(const Visit& visit);

  std::filesystem::path path_;
  bool is_packed_;
  std::ifstream stream_;
  std::uint64_t known_frame_ = ~std::uint64_t{0}, next_frame_ = 0;
  std::string frame_;  // text of the known one
};

/// Writes lines as frames.
class PackedLines {
 public:
  /// Throws UserError where no file can be made.
  explicit PackedLines(std::filesystem::path path);
  /// Without its end.
  void add(const std::string& line);
  /// All that was added is on the disk. Throws UserError when there is no room.
  void finish();

 private:
  void write_frame();

  const std::filesystem::path path_;
  std::ofstream stream_;
  std::string text_;  // of the frame to come
};

}  // namespace spica::sweep
