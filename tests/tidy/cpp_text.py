# SPDX-License-Identifier: Apache-2.0
"""C++ seen as text: enough to find includes, names and the length of functions, no more."""

import re

_COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
_NOT_A_FUNCTION = re.compile(
    r"(^|[\s;{}])(namespace|class|struct|union|enum|if|for|while|switch|catch|do|else|try)\b[^;{}]*$")
_FUNCTION_HEAD = re.compile(
    r"\)\s*(const|noexcept|override|final|mutable|->\s*[\w:<>,&*\s]+|:\s.*|requires.*)*\s*$", re.DOTALL)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def includes(text):
    """(line, what is included) of every #include."""
    return [(line_of(text, found.start()), found[1]) for found in _INCLUDE.finditer(text)]


def without_comments_and_strings(text):
    """The same text, comments and the insides of literals blanked, line breaks kept."""
    return _COMMENT_OR_STRING.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def functions(text):
    """(first line, last line) of every outermost function body, found by its braces."""
    code = without_comments_and_strings(text)
    code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", lambda found: re.sub(r"[^\n]", " ", found[0]), code,
                  flags=re.MULTILINE)
    found, depth, start, head_from = [], 0, None, 0
    for at, letter in enumerate(code):
        if letter == "{":
            if start is None and _opens_function(code[head_from:at]):
                start, start_depth = at, depth
            depth += 1
        elif letter == "}":
            depth -= 1
            if start is not None and depth == start_depth:
                found.append((line_of(code, start), line_of(code, at)))
                start = None
        if letter in ";{}":
            head_from = at + 1
    return found


def _opens_function(head):
    return bool(_FUNCTION_HEAD.search(head)) and not _NOT_A_FUNCTION.search(head)
