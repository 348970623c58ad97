# SPDX-License-Identifier: Apache-2.0
"""Which header of the standard library declares what, for the names this tree uses. Not the whole
library: what is not listed is not looked for."""

_NAMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if "
                 "equal fill fill_n find find_first_of find_if find_if_not for_each generate includes "
                 "is_sorted lexicographical_compare lower_bound max max_element merge min min_element "
                 "minmax mismatch none_of partition remove remove_if replace reverse rotate search "
                 "set_difference sort stable_sort swap_ranges transform unique upper_bound",
    "array": "array to_array",
    "atomic": "atomic atomic_bool memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast countl_zero countr_zero endian popcount",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "condition_variable": "condition_variable",
    "cstddef": "byte ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstring": "memchr memcmp memcpy memmove memset strcpy strlen",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function hash invoke reference_wrapper",
    "initializer_list": "initializer_list",
    "iterator": "back_inserter distance next prev",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex scoped_lock unique_lock",
    "numeric": "accumulate iota",
    "optional": "make_optional nullopt optional",
    "set": "multiset set",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "istringstream ostringstream stringstream",
    "string": "stoi string to_string",
    "string_view": "string_view",
    "thread": "jthread this_thread thread",
    "tuple": "tie tuple",
    "unordered_map": "unordered_map",
    "utility": "as_const cmp_less exchange forward in_place make_pair move pair swap",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}

HEADER_OF = {name: header for header, names in _NAMES.items() for name in names.split()}
