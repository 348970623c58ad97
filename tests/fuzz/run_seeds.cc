// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over committed seeds, so that every build checks them without a fuzzer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The seed, and the seed cut off at up to 64 places: parsers break at ends.
void run_with_truncations(const std::vector<std::uint8_t>& seed) {
  const std::size_t step = std::max<std::size_t>(1, seed.size() / 64);
  for (std::size_t length = 0; length < seed.size(); length += step) {
    // A copy of its own, so that a sanitizer sees a read past the end.
    const std::vector<std::uint8_t> cut(seed.begin(),
                                        seed.begin() + static_cast<std::ptrdiff_t>(length));
    LLVMFuzzerTestOneInput(cut.data(), cut.size());
  }
  LLVMFuzzerTestOneInput(seed.data(), seed.size());
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      run_with_truncations(read(entry.path()));
      ++seeds;
    }
  }
  std::printf("%d seeds\n", seeds);
  return seeds > 0 ? 0 : 1;
}
