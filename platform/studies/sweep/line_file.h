// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace spica::sweep {

/// A file of lines: plain text or, with the extension .zst, consecutive Zstandard frames of some lines each (RFC 8878;
/// `zstd -dc` prints them). A line can be read again by its place.
class LineFile {
 public:
  struct Place {
    std::uint64_t frame = 0;  // plain text: position of the line itself
    std::uint32_t offset = 0;  // in the frame's text
    std::uint32_t length = 0;  // without the newline
  };
  /// `is_whole`: the line ends with a newline.
  using Visit = std::function<void(const std::string& line, const Place& place, bool is_whole)>;

  explicit LineFile(std::filesystem::path path);

  /// Calls `visit` with each line. At a damaged frame, the file ends with a line that is not whole.
  void for_each(const Visit& visit);
  /// Throws UserError if the file was removed or replaced.
  std::string line(const Place& place);
  const std::filesystem::path& path() const { return path_; }
  /// Closes the file; it is reopened when needed.
  void close();

 private:
  void open();
  bool read_frame(std::uint64_t offset);
  void for_each_in_frames(const Visit& visit);

  std::filesystem::path path_;
  bool is_packed_;
  std::ifstream stream_;
  std::uint64_t known_frame_ = ~std::uint64_t{0}, next_frame_ = 0;
  std::string frame_;  // decompressed text of the current frame
};

/// Writes lines as compressed frames.
class PackedLines {
 public:
  /// Throws UserError if the file cannot be created.
  explicit PackedLines(std::filesystem::path path);
  /// `line`: without newline.
  void add(const std::string& line);
  /// Writes everything to the disk. Throws UserError if there is no space.
  void finish();

 private:
  void write_frame();

  const std::filesystem::path path_;
  std::ofstream stream_;
  std::string text_;  // of the next frame
};

}  // namespace spica::sweep
