// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "platform/base/config/expression.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spica::sweep {

/// An SQLite error: a damaged or foreign file, no space, too few file handles.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An SQLite file. All functions throw DatabaseError.
class Database {
 public:
  enum class Access : std::uint8_t { kRead, kCreate };
  Database(const std::string& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);

  /// A prepared statement: bind all parameters, then step through rows, or step once and reset.
  class Statement {
   public:
    Statement(Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// `place` counts from 1.
    void bind(int place, std::int64_t value);
    void bind(int place, double value);
    void bind(int place, std::string_view value);
    void bind_nothing(int place);
    void bind(int place, const config::Operand& value);
    /// False: no further row.
    bool step();
    void reset();
    /// The value of a column of the current row; `place` counts from 0.
    config::Operand column(int place) const;

   private:
    void check(int result) const;
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
  };

 private:
  sqlite3* handle_ = nullptr;
};

/// Quotes a name for SQL.
std::string sql_name(const std::string& name);

}  // namespace spica::sweep
