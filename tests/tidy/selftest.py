#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each tidiness check finds what it is there to find, and leaves good text alone."""

import unittest

import cpp_text
import tidy_test as tidy

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


def complaints(check, name, text):
    return list(check([tidy.File(name, text)]))


class Skips(unittest.TestCase):
    def test_a_reason_is_one_that_the_machine_can_be_asked_about(self):
        for reason, known in (("needs tun: /dev/net/tun", True), ("needs program:zsh: none", True),
                              ("TUNCTL_CORPUS is not set", True), ("needs luck: none", False),
                              ("needs the right to do so", False), ("this kernel is old", False)):
            with self.subTest(reason=reason):
                found = complaints(tidy.check_skips, "tests/a_test.cc",
                                   f'  GTEST_SKIP() << "SKIPPED: {reason}";\n')
                self.assertEqual(bool(found), not known, found)


class Includes(unittest.TestCase):
    def found(self, name, included):
        return complaints(tidy.check_includes, name, f"#include {included}\n")

    def test_the_law(self):
        for name, included, allowed in (
                ("base/a.cc", '"ovpn/lexer.h"', False),
                ("ovpn/a.cc", '"base/error.h"', True),
                ("ovpn/a.cc", '"fastpath/wire/opcode.h"', False),
                ("fastpath/data/a.cc", '"fastpath/crypto/hmac.h"', True),
                ("fastpath/data/a.cc", "<openssl/evp.h>", False),
                ("fastpath/crypto/a.cc", "<openssl/evp.h>", True),
                ("fastpath/engine/a.cc", '"supervisor/site/site.h"', False),
                ("fastpath/io/a.cc", "<sys/epoll.h>", True),
                ("fastpath/wire/a.cc", "<sys/socket.h>", False),
                ("fastpath/wire/a.h", "<chrono>", True),
                ("fastpath/peer/a.cc", '"fastpath/limits.h"', True),
                ("supervisor/site/a.cc", "<toml++/toml.h>", True),
                ("supervisor/site/a.h", "<toml++/toml.h>", False),
                ("supervisor/plan/a.cc", '"supervisor/host/file_store.h"', True),
                ("supervisor/plan/a.cc", '"supervisor/host/systemd_manager.h"', False),
                ("supervisor/plan/a.cc", "<fcntl.h>", False),
                ("supervisor/plan/apply.cc", "<fcntl.h>", True),
                ("supervisor/render/a.cc", "<fmt/format.h>", True)):
            with self.subTest(name=name, included=included):
                self.assertEqual(self.found(name, included) == [], allowed)

    def test_one_file(self):
        files = [tidy.File(f"supervisor/host/{name}.cc", "#include <boost/process.hpp>\n")
                 for name in ("a", "b")]
        self.assertEqual(len(list(tidy.check_one_file_libraries(files))), 1)
        self.assertEqual(list(tidy.check_one_file_libraries(files[:1])), [])

    def test_standard_headers(self):
        use = "void f() { std::exchange(a, b); }\n"
        for text, allowed in ((use, False), ("#include <utility>\n" + use, True),
                              ('#include "base/b.h"\n' + use, True), ("// std::exchange\n", True),
                              ("void f() { std::unheard_of(); }\n", True)):
            with self.subTest(text=text):
                files = [tidy.File("base/a.cc", text), tidy.File("base/b.h", "#include <utility>\n")]
                self.assertEqual(list(tidy.check_std_includes(files)) == [], allowed)

    def test_rooted(self):
        self.assertTrue(complaints(tidy.check_rooted_includes, "base/a.cc", '#include "b.h"\n'))


class Names(unittest.TestCase):
    def test_pure_rooms(self):
        for code, allowed in (("int x = getenv(\"A\");", False), ("auto t = unix_now();", False),
                              ("std::chrono::steady_clock::now()", False), ("x = rand ();", False),
                              ("// getenv is for others", True), ('say("rand()");', True),
                              ("int operand(int);", True)):
            with self.subTest(code=code):
                self.assertEqual(
                    complaints(tidy.check_pure_names, "fastpath/wire/a.cc", code) == [], allowed)
                self.assertEqual(complaints(tidy.check_pure_names, "base/a.cc", code), [])


class Shape(unittest.TestCase):
    def test_heads(self):
        self.assertTrue(complaints(tidy.check_heads, "base/a.cc", "int x;\n"))
        self.assertTrue(complaints(tidy.check_heads, "tool", "#!/bin/sh\n"))
        self.assertEqual(complaints(tidy.check_heads, "base/a.cc", HEAD), [])

    def test_functions(self):
        long = "int f(int a,\n      int b) const {\n" + "  a++;\n" * 70 + "}\n"
        self.assertTrue(complaints(tidy.check_function_lengths, "base/a.cc", long))
        self.assertEqual(
            complaints(tidy.check_function_lengths, "base/a.cc", "// long: one table\n" + long), [])
        table = "struct T {\n" + "  int a;\n" * 90 + "};\nconst int x[] = {\n" + " 1,\n" * 90 + "};\n"
        self.assertEqual(complaints(tidy.check_function_lengths, "base/a.cc", table), [])

    def test_function_places(self):
        text = "namespace a {\nvoid f() {\n  if (x) {\n    y('{');\n  }\n}\nA::A() : b(1) {\n}\n}\n"
        self.assertEqual(cpp_text.functions(text), [(2, 6), (7, 8)])

    def test_sizes(self):
        self.assertTrue(complaints(tidy.check_file_sizes, "base/a.cc", "\n" * 501))
        self.assertTrue(complaints(tidy.check_file_sizes, "data", "x" * 1_000_001))
        self.assertEqual(complaints(tidy.check_file_sizes, "base/a.cc", "\n" * 500), [])

    def test_machine_paths(self):
        self.assertTrue(complaints(tidy.check_machine_paths, "a.md", "see /home/" + "me/x"))
        self.assertEqual(complaints(tidy.check_machine_paths, "a.md", "$dir/root/etc"), [])

    def test_architecture(self):
        self.assertTrue(complaints(tidy.check_architecture, "ARCHITECTURE.md",
                                   "| `base` | ovpn | — | |\n"))


if __name__ == "__main__":
    unittest.main()
