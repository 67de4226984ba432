// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/npy.h"

#include <unistd.h>
#include <filesystem>

#include "models/numeric/convert.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Element;

namespace {

/// A file that goes with the test.
class File {
 public:
  explicit File(const std::vector<unsigned char>& bytes)
      : path_(
            (std::filesystem::temp_directory_path() / ("npy_test_" + std::to_string(::getpid()))).string()) {
    input::write_file(path_, bytes);
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Version `version` of the format, whose header is not aligned.
std::vector<unsigned char> file_of(const std::string& header, const std::vector<unsigned char>& numbers,
                                   char version = 1) {
  std::string text("\x93NUMPY");
  text += {version, '\x00', static_cast<char>(header.size()), '\x00'};
  if (version > 1) text += {'\x00', '\x00'};
  text += header;
  std::vector<unsigned char> bytes(text.begin(), text.end());
  bytes.insert(bytes.end(), numbers.begin(), numbers.end());
  return bytes;
}

std::string error_of(const std::vector<unsigned char>& bytes) {
  const File file(bytes);
  try {
    workloads::read_npy(file.path(), Element::kBf16);
  } catch (const input::UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("matrices go to files of numpy and come back, in each format") {
  const std::vector<float> values{0, 1, 3, 2, 6, 4};
  for (const Element element : {Element::kFp32, Element::kFp16, Element::kBf16, Element::kE4m3,
                                Element::kE5m2, Element::kInt8, Element::kUint8, Element::kInt32}) {
    CAPTURE(numeric::info(element).key);
    const std::vector<unsigned char> bytes =
        workloads::npy_file(2, 3, element, workloads::encoded(values, element));
    const File file(bytes);
    const workloads::NpyMatrix matrix = workloads::read_npy(file.path(), element);
    CHECK(matrix.rows == 2);
    CHECK(matrix.columns == 3);
    CHECK(matrix.values == values);
    const bool has_name = element != Element::kBf16 && element != Element::kE4m3 && element != Element::kE5m2;
    CHECK(matrix.element.has_value() == has_name);
    // numpy wants numbers to begin at a multiple of 64 bytes.
    CHECK((bytes.size() - values.size() * numeric::info(element).stored_bits / 8) % 64 == 0);
  }
}

TEST_CASE("columns behind each other and later versions of the format are read") {
  const std::vector<unsigned char> numbers{1, 2, 3, 4, 5, 6};
  for (const char version : {'\x01', '\x02', '\x03'}) {
    const File file(
        file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", numbers, version));
    CHECK(workloads::read_npy(file.path(), Element::kFp32).values == std::vector<float>{1, 3, 5, 2, 4, 6});
  }
}

TEST_CASE("arrays of one dimension are rows, where a row is wanted") {
  const std::vector<unsigned char> numbers{1, 2, 255};
  const std::vector<unsigned char> bytes =
      file_of("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }\n", numbers);
  const File file(bytes);
  const workloads::NpyMatrix row = workloads::read_npy_row(file.path(), Element::kFp32);
  CHECK(row.rows == 1);
  CHECK(row.values == std::vector<float>{1, 2, -1});
  CHECK_THAT(error_of(bytes), Catch::Contains("does not have two dimensions"));
  const File matrix(file_of("{'descr': '|i1', 'fortran_order': False, 'shape': (1, 3), }\n", numbers));
  CHECK_THROWS_AS(workloads::read_npy_row(matrix.path(), Element::kFp32), input::UserError);
}

TEST_CASE("files that hold no matrix are refused with the reason") {
  const std::vector<unsigned char> four{1, 2, 3, 4};
  const auto with = [](const char* descr, const char* shape) {
    return std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  };
  CHECK_THAT(error_of({1, 2, 3}), Catch::Contains("is not a file of numpy.save"));
  CHECK_THAT(error_of(file_of("{'descr'", {})),
             Catch::Contains("has elements that consist of several numbers"));
  CHECK_THAT(error_of(file_of(with("'|i1'", "(2, 3)"), four)), Catch::Contains("2 x 3 numbers need 6"));
  CHECK_THAT(error_of(file_of(with("'|i1'", "(0, 3)"), {})), Catch::Contains("has no elements"));
  CHECK_THAT(error_of(file_of(with("'<c8'", "(2, 2)"), four)), Catch::Contains("known are <f4"));
  CHECK_THAT(error_of(file_of(with("'<V1'", "(2, 2)"), four)), Catch::Contains("an element of bf16 has 2"));
  CHECK_THAT(error_of(file_of(with("[('a', '<f4')]", "(2, 2)"), four)), Catch::Contains("several numbers"));
  std::vector<unsigned char> cut = file_of(with("'|i1'", "(2, 2)"), four);
  cut.resize(20);
  CHECK_THAT(error_of(cut), Catch::Contains("ends within its header"));
}
