// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "platform/sweep/expression.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spica::sweep {

/// An SQLite file. Everything throws std::runtime_error with SQLite's own words.
class Database {
 public:
  enum class Access : std::uint8_t { kRead, kCreate };
  Database(const std::string& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);

  /// A prepared statement: bind all, then step through rows, or step once and reset.
  class Statement {
   public:
    Statement(Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Places are counted from 1.
    void bind(int place, std::int64_t value);
    void bind(int place, double value);
    void bind(int place, std::string_view value);
    void bind_nothing(int place);
    void bind(int place, const Operand& value);
    /// False: there is no further row.
    bool step();
    void reset();
    /// Of the row, counted from 0.
    Operand column(int place) const;

   private:
    void check(int result) const;
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
  };

 private:
  sqlite3* handle_ = nullptr;
};

/// A name in SQL, in quotes.
std::string sql_name(const std::string& name);

}  // namespace spica::sweep
