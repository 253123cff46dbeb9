# SPDX-License-Identifier: GPL-2.0-only
"""structs.py c|python: sizes and places in the structs of Python's module, and its numbers.

A program in C that prints them, or what Python has. Both print the same where it is right.
"""

import sys

from taskacct import _library

# The record itself is read by calls, so that Python has only the room of it.
NUMBERS = {
    'TASKACCT_EVENT_GAP': _library.GAP,
    'TASKACCT_UNIT_SIGNED': _library.SIGNED,
    'TASKACCT_VALID': _library.VALID,
    'TASKACCT_GONE': _library.VALIDITIES.index('gone'),
    'TASKACCT_FILTER_ATTR_KINDS': _library.FILTER_KINDS,
    'TASKACCT_WAITS_ROOM': _library.WAITS_ROOM,
    'offsetof(struct taskacct_extended, r.comm)': _library.COMM,
}


def values():
    """Pairs of what is asked in C and what it is in Python"""
    yield from NUMBERS.items()
    for struct, name in _library.STRUCTS.items():
        c_name = f'struct taskacct_{name}'
        yield f'sizeof({c_name})', struct_size(struct)
        for member, _ in struct._fields_:
            yield f'offsetof({c_name}, {member})', getattr(struct, member).offset


def struct_size(struct):
    return _library.ctypes.sizeof(struct)


def main():
    if sys.argv[1] == 'python':
        for what, value in values():
            print(what, value)
        return
    print('#include <stdio.h>', '#include <taskacct.h>', 'int main(void)', '{', sep='\n')
    for what, _ in values():
        print(f'\tprintf("%s %zu\\n", "{what}", (size_t)({what}));')
    print('\treturn 0;', '}', sep='\n')


main()
