// SPDX-License-Identifier: Apache-2.0
// The two kinds of error. A Problem (or Result) is an outcome its direct caller must handle; a
// FatalError travels untouched to main, which prints it and exits with its status.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace base {

// A place in a text that a person wrote. Lines and columns count from 1; 0 means "not known".
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

std::string to_string(const Place& place);  // "file:line:column", without the parts not known

// What is wrong in something a person wrote or set up, and what to write or do instead.
struct Problem {
  Place place;
  std::string message;  // "unknown key 'cpu'"
  std::string remedy;   // "write 'cpus'"; may be empty

  friend bool operator==(const Problem&, const Problem&) = default;
};
using Problems = std::vector<Problem>;

std::string to_string(const Problem& problem);  // "file:line:column: message; remedy", printable

// A value, or the reason why there is none. Asking for the one that is not there aborts.
template <typename T, typename E = Problem>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(E error)
      : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return *checked(std::get_if<0>(&held_)); }
  const T& value() const& { return *checked(std::get_if<0>(&held_)); }
  T&& value() && { return std::move(*checked(std::get_if<0>(&held_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const E& error() const { return *checked(std::get_if<1>(&held_)); }

 private:
  template <typename P>
  static P* checked(P* held) {
    if (held == nullptr) std::abort();
    return held;
  }
  std::variant<T, E> held_;
};

// An error that ends the program. `exit_status` is what main returns.
class FatalError : public std::runtime_error {
 public:
  explicit FatalError(const std::string& message, int exit_status = 1)
      : std::runtime_error(message), exit_status_(exit_status) {}
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

// "open /dev/net/tun: No such file or directory", from errno's value at the call.
std::string errno_text(const std::string& what, int error_number);

}  // namespace base
