# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tasks of a Linux machine used and waited for, from the kernel module taskacct.

    import taskacct

    with taskacct.Socket() as sock:
        print(sock.query(1)['utime'])          # of a process, in ns

    with taskacct.Socket() as sock:
        sock.listen()
        for message in sock.messages():        # exits, as they come
            for record in message.records: ...

    with taskacct.Log('exits.pcap') as log:
        for message in log: ...

It calls libtaskacct.so.1, and for logs libtaskacct-log.so.1, by ctypes: their structs never
change within this version, so that no compiler is needed here. A Socket or a Log is used by
one thread at a time. Names, units and meanings of values are those of struct taskacct_record;
taskacct-fields(7) has them.
"""

import ctypes
import errno
import os
import select

from taskacct import _library
from taskacct._library import GAP, VALID, base

TASK, PROCESS, CGROUP = 1, 2, 4

WANT_RECORD, WANT_STREAM, WANT_EXE, WANT_CGROUP, WANT_CMDLINE = 1, 2, 4, 8, 16
_BARE = 32
WANT_NAMES = WANT_RECORD | WANT_EXE | WANT_CGROUP | WANT_CMDLINE


class Error(OSError):
    """A call that failed: errno, and what the library or the kernel says of it."""


def _check(status, words):
    if status < 0:
        raise Error(-status, words.decode(errors='surrogateescape'))
    return status


def version():
    """The version of libtaskacct that is in use."""
    return base().taskacct_version().decode()


class Record:
    """A record of a task or a process: record['utime'] is a value.

    Only those that can be relied on are there; validity() tells why another one is not.
    """

    def __init__(self, extended):
        self._extended = _library.Extended.from_buffer_copy(extended)

    def __getitem__(self, name):
        member = _library.members()[name]
        if name == 'comm':
            return self.comm
        if base().taskacct_validity(self._extended, member.number) != VALID:
            raise KeyError(name)
        value = base().taskacct_value(self._extended, member.number)
        return ctypes.c_int64(value).value if member.signed else value

    def __contains__(self, name):
        return self.validity(name) == 'valid'

    def keys(self):
        """Names of the values that are there."""
        return [name for name in _library.members() if name in self]

    def get(self, name, default=None):
        """A value, or default where it is not there."""
        return self[name] if name in self else default

    def validity(self, name):
        """Whether a value is there: 'valid', or 'absent', 'off', 'late' or 'gone'."""
        member = _library.members().get(name)
        number = member.number if member else -1
        return _library.VALIDITIES[base().taskacct_validity(self._extended, number)]

    @property
    def comm(self):
        """The command's name."""
        at = ctypes.addressof(self._extended) + _library.COMM
        return ctypes.string_at(at).decode(errors='surrogateescape')


class Gap:
    """What a listener was told that it lost: queue and memory are numbers of messages."""

    def __init__(self, gap):
        self.queue, self.memory, self.since_ns = gap.queue, gap.memory, gap.since_ns
        self.cpus = gap.cpus.decode()


class Message:
    """A message: records, exe, cgroup and cmdline, a Gap or None, and when it came."""

    def __init__(self, event):
        self.time_ns, self.gap, self.records = event.time_ns, None, []
        self.exe = self.cgroup = self.cmdline = None
        if event.type == GAP:
            gap = _library.Gap()
            self._decoded(base().taskacct_decode_gap(gap, event.nlh))
            self.gap = Gap(gap)
        else:
            self._decode(event.nlh)

    @staticmethod
    def _decoded(status):
        _check(status, base().taskacct_strerror(status))

    def _decode(self, nlh):
        message = _library.Message()
        self._decoded(base().taskacct_decode_message(message, nlh))
        self.records = [Record(message.records[i]) for i in range(message.n_records)]
        self.exe, self.cgroup = message.exe.decode(), message.cgroup.decode()
        args = message.cmdline.decode()
        self.cmdline = args.rstrip('\0').split('\0') if args else None


class _Handle:
    _handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _need(self):
        if not self._handle:
            raise Error(errno.EBADF, 'it is closed')


class Socket(_Handle):
    """A socket to the module: ask for tasks, or hear of exits."""

    def __init__(self, family='TASKACCT'):
        self._handle = ctypes.c_void_p()
        self._inbox = []
        # A call back that raises cannot: what was raised is kept for the one who called.
        self._raised = None
        self._take = _library.HANDLER(self._receive)
        status = base().taskacct_open(ctypes.byref(self._handle), family.encode())
        try:
            self._check(status)
        except Error:
            self.close()
            raise
        base().taskacct_set_handler(self._handle, self._take, None)

    def _check(self, status):
        words = base().taskacct_error if self._handle else None
        return _check(status, words(self._handle) if words and status < 0 else
                      base().taskacct_strerror(status))

    def _receive(self, event, _):
        try:
            self._inbox.append(Message(event.contents))
        except Exception as raised:  # pylint: disable=broad-except
            self._raised = raised

    def _raise(self):
        raised, self._raised = self._raised, None
        if raised:
            raise raised

    def close(self):
        """Close the socket. Nothing else can be done with it then."""
        if self._handle:
            base().taskacct_close(self._handle)
            self._handle = None

    def fileno(self):
        """The file descriptor, for select and the like."""
        self._need()
        return base().taskacct_fd(self._handle)

    def ask(self, pid, task=False, want=WANT_NAMES):
        """The Message about a process by its number, or a task."""
        self._need()
        answers, raised = [], []

        def take(event, _):
            try:
                answers.append(Message(event.contents))
            except Exception as error:  # pylint: disable=broad-except
                raised.append(error)

        self._check(base().taskacct_ask(self._handle, 0 if task else 1, pid, want | _BARE,
                                        _library.HANDLER(take), None))
        for error in raised:
            raise error
        if not answers:
            raise Error(errno.EBADMSG, f'no answer about {pid}')
        return answers[-1]

    def query(self, pid, task=False):
        """The Record of a process by its number, or of a task."""
        records = self.ask(pid, task, WANT_RECORD).records
        if not records:
            raise Error(errno.EBADMSG, f'no record of {pid}')
        return records[0]

    def listen(self, cpus=None, kinds=TASK | PROCESS, want=WANT_RECORD):
        """Hear of the exits on CPUs, such as '0-3' (all)."""
        self._need()
        if cpus is None:
            with open('/sys/devices/system/cpu/possible', encoding='ascii') as file:
                cpus = file.read().strip()
        filter_ = _library.Filter(has=1 << _library.FILTER_KINDS, kinds=kinds)
        self._check(base().taskacct_subscribe(self._handle, cpus.encode(),
                                              want | WANT_STREAM | _BARE, filter_, None))

    def receive(self):
        """A list of the Messages that wait, without waiting. A loss is a Message with gap."""
        self._need()
        status = base().taskacct_receive(self._handle)
        # How many were lost is reported by a gap.
        if status != -errno.ENOBUFS:
            self._check(status)
        self._raise()
        inbox, self._inbox[:] = self._inbox[:], []
        return inbox

    def messages(self):
        """Messages as they come, without end."""
        while True:
            select.select([self], [], [])
            yield from self.receive()


class Log(_Handle):
    """A log that is read, message by message."""

    def __init__(self, path):
        self._library = _library.log()
        self._handle = ctypes.c_void_p()
        status = self._library.taskacct_reader_open(ctypes.byref(self._handle),
                                                    os.fsencode(path))
        try:
            self._check(status)
        except Error:
            self.close()
            raise

    def _check(self, status):
        if status < 0 and self._handle:
            return _check(status, self._library.taskacct_reader_error(self._handle))
        return _check(status, base().taskacct_strerror(status))

    def __iter__(self):
        event = _library.Event()
        while self._handle and self._check(
                self._library.taskacct_reader_next(self._handle, event)):
            yield Message(event)

    def damaged(self):
        """How many records so far were no messages."""
        self._need()
        return self._library.taskacct_reader_damaged(self._handle)

    def close(self):
        """Close the log. Nothing more can be read then."""
        if self._handle:
            self._library.taskacct_reader_close(self._handle)
            self._handle = None
