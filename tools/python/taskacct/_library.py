# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C libraries: structs of taskacct.h and taskacct_log.h, and what calls take."""

import collections
import ctypes
import functools
from ctypes import c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

VALIDITIES = ('valid', 'absent', 'off', 'late', 'gone')
VALID = 0
# enum taskacct_event_type, enum taskacct_unit, enum taskacct_filter_attr
GAP = 1
SIGNED = 1
FILTER_KINDS = 2
WAITS_ROOM = 12


class Name(ctypes.Structure):
    """struct taskacct_name"""

    _fields_ = [('text', c_void_p), ('length', c_size_t)]

    def decode(self):
        """The text, or None"""
        if not self.text:
            return None
        return ctypes.string_at(self.text, self.length).decode(errors='surrogateescape')


class Stats(ctypes.Structure):
    """struct taskacct_stats"""

    _fields_ = [('length', c_size_t), ('valid', c_uint64 * 2), ('v', c_uint64 * 128),
                ('comm', ctypes.c_char * 33)]


class Classic(ctypes.Structure):
    """struct taskacct_classic"""

    _fields_ = [('kind', c_int), ('id', c_uint32), ('last', c_bool), ('paired', c_bool),
                ('stats', Stats), ('reserved', c_uint64 * 4)]


class Extended(ctypes.Structure):
    """struct taskacct_extended; what the module's record has is read by calls"""

    _fields_ = [('length', c_size_t), ('r', c_uint64 * 80),
                ('wait_length', c_size_t * WAITS_ROOM),
                ('wait', c_uint64 * 4 * WAITS_ROOM)]


# Where struct taskacct_record has its comm, which calls do not give
COMM = Extended.r.offset + 56


class Message(ctypes.Structure):
    """struct taskacct_message"""

    _fields_ = [('classic', Classic * 2), ('n_classic', c_int),
                ('records', Extended * 2), ('n_records', c_int),
                ('has_stream', c_bool), ('stream', c_uint64 * 12),
                ('exe', Name), ('cgroup', Name), ('cmdline', Name),
                ('reserved', c_uint64 * 8)]


class Gap(ctypes.Structure):
    """struct taskacct_gap"""

    _fields_ = [('queue', c_uint64), ('memory', c_uint64), ('cpus', Name),
                ('since_ns', c_uint64), ('stream', c_uint64 * 12),
                ('reserved', c_uint64 * 4)]


class Filter(ctypes.Structure):
    """struct taskacct_filter"""

    _fields_ = [('has', c_uint32), ('kinds', c_uint32), ('uid_min', c_uint32),
                ('uid_max', c_uint32), ('cgroup_id', c_uint64), ('cgroup_fd', c_int),
                ('min_lifetime', c_uint64), ('min_cpu_time', c_uint64),
                ('one_in', c_uint32), ('reserved', c_uint64 * 8)]


class Event(ctypes.Structure):
    """struct taskacct_event"""

    _fields_ = [('type', c_int), ('nlh', c_void_p), ('time_ns', c_uint64),
                ('reserved', c_uint64 * 2)]


class MemberInfo(ctypes.Structure):
    """struct taskacct_member_info"""

    _fields_ = [('name', c_char_p), ('unit', c_int), ('groups', c_uint64)]


HANDLER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Event), c_void_p)
REF = ctypes.POINTER

# What calls return and take
BASE = {
    'taskacct_version': (c_char_p,),
    'taskacct_strerror': (c_char_p, c_int),
    'taskacct_open': (c_int, REF(c_void_p), c_char_p),
    'taskacct_close': (None, c_void_p),
    'taskacct_error': (c_char_p, c_void_p),
    'taskacct_fd': (c_int, c_void_p),
    'taskacct_ask': (c_int, c_void_p, c_int, c_uint32, c_uint32, HANDLER, c_void_p),
    'taskacct_set_handler': (None, c_void_p, HANDLER, c_void_p),
    'taskacct_subscribe': (c_int, c_void_p, c_char_p, c_uint32, REF(Filter), c_void_p),
    'taskacct_receive': (c_int, c_void_p),
    'taskacct_decode_message': (c_int, REF(Message), c_void_p),
    'taskacct_decode_gap': (c_int, REF(Gap), c_void_p),
    'taskacct_member_info': (REF(MemberInfo), c_int),
    'taskacct_validity': (c_int, REF(Extended), c_int),
    'taskacct_value': (c_uint64, REF(Extended), c_int),
}
LOG = {
    'taskacct_reader_open': (c_int, REF(c_void_p), c_char_p),
    'taskacct_reader_next': (c_int, c_void_p, REF(Event)),
    'taskacct_reader_damaged': (c_uint64, c_void_p),
    'taskacct_reader_error': (c_char_p, c_void_p),
    'taskacct_reader_close': (None, c_void_p),
}

# What the names of struct taskacct_*, in the order of the classes above, are in C
STRUCTS = {Name: 'name', Stats: 'stats', Classic: 'classic', Extended: 'extended',
           Message: 'message', Gap: 'gap', Filter: 'filter', Event: 'event',
           MemberInfo: 'member_info'}


def _load(name, calls):
    library = ctypes.CDLL(name)
    for call, (returns, *takes) in calls.items():
        function = getattr(library, call)
        function.restype, function.argtypes = returns, takes
    return library


@functools.lru_cache(maxsize=None)
def base():
    """libtaskacct, with the types of its calls"""
    return _load('libtaskacct.so.1', BASE)


@functools.lru_cache(maxsize=None)
def log():
    """libtaskacct-log, which needs libpcap"""
    return _load('libtaskacct-log.so.1', LOG)


Member = collections.namedtuple('Member', 'number signed')


@functools.lru_cache(maxsize=None)
def members():
    """By the name of each value that the library knows: its number, and its sign"""
    found = {}
    while info := base().taskacct_member_info(len(found)):
        found[info.contents.name.decode()] = Member(len(found),
                                                    info.contents.unit == SIGNED)
    return found
