// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/bytes.h"
#include "base/error.h"

namespace base {

// The whole file. A file over `size_max` bytes is a Problem, so that /dev/zero cannot eat the
// memory; a pipe that has no writer is one too.
// "-" is not special here.
Result<std::string> read_file(const std::string& path, std::size_t size_max = std::size_t{1} << 20);

// Replaces `path` in one step: a file without a name (`mode` from its first moment), fsync, link or
// rename, fsync of the folder. A reader sees the old or the new bytes, never a part. A kill leaves
// nothing; only where the file system has no files without names, or between the last two steps of
// a replacement, a file named ".NAME.tmp.XXXXXX" is left, which is never read.
// The message is empty on success.
[[nodiscard]] std::string write_file_atomically(const std::string& path, std::string_view bytes,
                                                mode_t mode);

// For a path that a person named, as OpenVPN would write it: where there is nothing or a regular
// file, write_file_atomically(); anything else (a device, a pipe, a link and what it leads to) is
// written through and stays what it is. A pipe that nobody reads is a failure, not waited for.
[[nodiscard]] std::string write_named_file(const std::string& path, std::string_view bytes,
                                           mode_t mode);

// The two halves of write_file_atomically() for whoever opens files by other means:
// ".NAME.tmp.XXXXXX" for the file name `name`, and all bytes or false with errno.
std::string temporary_name(std::string_view name);
[[nodiscard]] bool write_all(int fd, std::string_view bytes);

// Whether a folder's `entry` is what a killed write of the file `name` left there.
bool is_leftover_of(std::string_view name, std::string_view entry);

// Fills `to` from the kernel's generator (getrandom(2)); blocks only early at boot.
void random_bytes(MutableByteSpan to);

}  // namespace base
