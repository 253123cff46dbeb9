-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark and tshark: messages of the family TASKACCT, live (nlmon) and in logs
--
--	tshark -X lua_script:taskacct.lua -r exits.pcap -V
--	tshark -X lua_script:taskacct.lua -r exits.pcap -Y 'taskacct.record.exit_code != 0' \
--		-T fields -e taskacct.record.comm -e taskacct.record.exit_code
--
-- Without -X where it lies in a directory of plugins: see tshark -G folders. A member is
-- shown as far as the sender has it. What is unknown is shown as bytes.

local taskacct = Proto("taskacct", "Task accounting (taskacct)")

local commands = {
	[1] = "GET", [2] = "NEW", [4] = "CGROUP_GET", [5] = "CGROUP_NEW",
	[16] = "STAT_GET", [17] = "LISTENER_GET", [18] = "GAP", [19] = "UID_GET",
	[20] = "TASK_GET", [21] = "SUBSCRIBE", [22] = "EXIT",
}
local kinds = { [1] = "task", [2] = "process", [4] = "cgroup" }
local waits = {
	[2] = "cpu", [3] = "blkio", [4] = "swapin", [5] = "freepages",
	[6] = "thrashing", [7] = "compact", [8] = "wpcopy", [9] = "irq",
}

-- Members of structs in their order: a name and its bytes; s is signed, z a text, x a
-- number to be shown in hexadecimal, - a gap
local structs = {
	record = [[
		version 2 size 2 kind 2 cpu_accounting 1 policy 1 flags x4 nice s1 - 3
		valid x8 absent x8 off x8 late x8 gone x8 comm z16
		pid 4 tgid 4 ppid 4 init_pid 4 init_tgid 4 init_ppid 4
		uid 4 gid 4 euid 4 egid 4 loginuid 4 cpu 4
		pid_ns 8 cgroup 8 exe_dev 8 exe_ino 8 start 8 end 8 real_end 8
		exit_code 4 group_exit_code 4 signal 4 threads 4
		utime 8 stime 8 runtime 8 min_flt 8 maj_flt 8 nvcsw 8 nivcsw 8
		rchar 8 wchar 8 syscr 8 syscw 8
		read_bytes 8 write_bytes 8 cancelled_write_bytes 8
		peak_rss 8 peak_vm 8 rss_anon 8 rss_file 8 rss_shmem 8 swap 8
		rss_time 8 vm_time 8 on_cpu 8 migrations 8 ]],
	stats = [[
		version 2 - 2 ac_exitcode 4 ac_flag x1 ac_nice s1 - 6
		cpu_count 8 cpu_delay_total 8 blkio_count 8 blkio_delay_total 8
		swapin_count 8 swapin_delay_total 8
		cpu_run_real_total 8 cpu_run_virtual_total 8
		ac_comm z32 ac_sched 1 - 7 ac_uid 4 ac_gid 4 ac_pid 4 ac_ppid 4 ac_btime 4 - 4
		ac_etime 8 ac_utime 8 ac_stime 8 ac_minflt 8 ac_majflt 8
		coremem 8 virtmem 8 hiwater_rss 8 hiwater_vm 8
		read_char 8 write_char 8 read_syscalls 8 write_syscalls 8
		read_bytes 8 write_bytes 8 cancelled_write_bytes 8 nvcsw 8 nivcsw 8
		ac_utimescaled 8 ac_stimescaled 8 cpu_scaled_run_real_total 8
		freepages_count 8 freepages_delay_total 8
		thrashing_count 8 thrashing_delay_total 8 ac_btime64 8
		compact_count 8 compact_delay_total 8
		ac_tgid 4 - 4 ac_tgetime 8 ac_exe_dev 8 ac_exe_inode 8
		wpcopy_count 8 wpcopy_delay_total 8 irq_count 8 irq_delay_total 8
		cpu_delay_max 8 cpu_delay_min 8 blkio_delay_max 8 blkio_delay_min 8
		swapin_delay_max 8 swapin_delay_min 8 freepages_delay_max 8 freepages_delay_min 8
		thrashing_delay_max 8 thrashing_delay_min 8 compact_delay_max 8 compact_delay_min 8
		wpcopy_delay_max 8 wpcopy_delay_min 8 irq_delay_max 8 irq_delay_min 8 ]],
	stream = "seq 8 lost_queue 8 lost_memory 8 filtered 8",
	wait = "count 8 total 8 max 8 min 8",
}

local fields = {}

local function add_field(make, name, ...)
	fields[name] = make("taskacct." .. name, name:match("[^.]*$"), ...)
	return fields[name]
end

local function field_of(path, form, size)
	if form == "z" then
		return add_field(ProtoField.string, path)
	end
	if form == "s" then
		return add_field(ProtoField["int" .. 8 * size], path)
	end
	local base = form == "x" and base.HEX or base.DEC

	return add_field(ProtoField["uint" .. 8 * size], path, base,
		path == "record.kind" and kinds or nil)
end

-- A struct becomes a list of { field, offset, size, form }.
local function read_struct(prefix, text)
	local members, at = {}, 0

	for name, form, size in text:gmatch("(%S+)%s+([sxz]?)(%d+)") do
		size = tonumber(size)
		if name ~= "-" then
			members[#members + 1] = {
				field_of(prefix .. "." .. name, form, size), at, size, form,
			}
		end
		at = at + size
	end
	return members
end

local layouts = {
	record = read_struct("record", structs.record),
	stats = read_struct("stats", structs.stats),
	stream = read_struct("stream", structs.stream),
}
for kind, name in pairs(waits) do
	layouts[kind] = read_struct("wait_" .. name, structs.wait)
end

add_field(ProtoField.uint8, "cmd", base.DEC, commands)
add_field(ProtoField.uint32, "pid", base.DEC)
add_field(ProtoField.uint32, "tgid", base.DEC)
add_field(ProtoField.string, "exe_path")
add_field(ProtoField.string, "cgroup_path")
add_field(ProtoField.string, "cmdline")
add_field(ProtoField.uint64, "gap.queue", base.DEC)
add_field(ProtoField.uint64, "gap.memory", base.DEC)
add_field(ProtoField.uint64, "gap.since", base.DEC)
add_field(ProtoField.string, "gap.cpus")
add_field(ProtoField.bytes, "unknown")

local list = {}
for _, field in pairs(fields) do
	list[#list + 1] = field
end
taskacct.fields = list

local damaged = ProtoExpert.new("taskacct.damaged", "The attributes do not fit",
	expert.group.MALFORMED, expert.severity.ERROR)
taskacct.experts = { damaged }

-- Numbers are in the order of the machine that sent them.
local function add_number(tree, field, range, little)
	if little then
		tree:add_le(field, range)
	else
		tree:add(field, range)
	end
end

local function add_struct(tree, title, members, range, little)
	local branch = tree:add(taskacct, range, title)

	for _, member in ipairs(members) do
		local field, at, size, form = table.unpack(member)

		if at + size > range:len() then
			break
		elseif form == "z" then
			branch:add(field, range(at, size), range(at, size):stringz())
		else
			add_number(branch, field, range(at, size), little)
		end
	end
	return branch
end

-- fn(tree, type, range) is called for each attribute, without those that are empty.
local function each_attr(tree, range, little, fn)
	local at = 0

	while at + 4 <= range:len() do
		local size = little and range(at, 2):le_uint() or range(at, 2):uint()
		local kind = little and range(at + 2, 2):le_uint() or range(at + 2, 2):uint()

		if size < 4 or at + size > range:len() then
			tree:add_proto_expert_info(damaged)
			return
		end
		if size > 4 then
			fn(tree, bit.band(kind, 0x3fff), range(at + 4, size - 4), little)
		end
		at = at + bit.band(size + 3, bit.bnot(3))
	end
end

local function classic_attr(tree, kind, range, little)
	if kind == 1 or kind == 2 then
		add_number(tree, kind == 1 and fields.pid or fields.tgid, range, little)
	elseif kind == 3 then
		local version = little and range(0, 2):le_uint() or range(0, 2):uint()

		-- The layout of version 15 is that of no other.
		if version == 15 or (version == 14 and range:len() == 560) then
			tree:add(fields.unknown, range)
		else
			add_struct(tree, "struct taskstats", layouts.stats, range, little)
		end
	end
end

local function wait_attr(tree, kind, range, little)
	if waits[kind] then
		add_struct(tree, "waits: " .. waits[kind], layouts[kind], range, little)
	end
end

-- Arguments have a NUL behind each.
local function cmdline(range)
	local text = range:raw():gsub("%z$", ""):gsub("%z", " ")

	return text
end

local function answer_attr(tree, kind, range, little)
	if kind == 4 or kind == 5 then
		each_attr(tree:add(taskacct, range, kind == 4 and "task" or "process"),
			range, little, classic_attr)
	elseif kind == 33 then
		add_struct(tree, "struct taskacct_record", layouts.record, range, little)
	elseif kind == 34 then
		add_struct(tree, "struct taskacct_stream", layouts.stream, range, little)
	elseif kind == 35 then
		tree:add(fields.exe_path, range, range:stringz())
	elseif kind == 36 then
		tree:add(fields.cgroup_path, range, range:stringz())
	elseif kind == 37 then
		tree:add(fields.cmdline, range, cmdline(range))
	elseif kind == 39 then
		each_attr(tree:add(taskacct, range, "waits"), range, little, wait_attr)
	elseif kind ~= 32 then
		tree:add(fields.unknown, range)
	end
end

local function gap_attr(tree, kind, range, little)
	local numbers = { [17] = "gap.queue", [18] = "gap.memory", [20] = "gap.since" }

	if numbers[kind] then
		add_number(tree, fields[numbers[kind]], range, little)
	elseif kind == 19 then
		tree:add(fields["gap.cpus"], range, range:stringz())
	elseif kind == 21 then
		add_struct(tree, "struct taskacct_stream", layouts.stream, range, little)
	elseif kind ~= 16 then
		tree:add(fields.unknown, range)
	end
end

local function other_attr(tree, _, range)
	tree:add(fields.unknown, range)
end

-- The first attribute's length fits the message in one order, and is smaller in it.
local function is_little(tvb)
	return tvb:len() < 6 or tvb(4, 2):le_uint() <= tvb(4, 2):uint()
end

function taskacct.dissector(tvb, pinfo, tree)
	local branch = tree:add(taskacct, tvb())
	local cmd = tvb(0, 1):uint()
	local fn = other_attr

	pinfo.cols.protocol = "TASKACCT"
	pinfo.cols.info = commands[cmd] or "command " .. cmd
	branch:add(fields.cmd, tvb(0, 1))
	if cmd == 18 then
		fn = gap_attr
	elseif cmd == 2 or cmd == 20 or cmd == 22 then
		fn = answer_attr
	end
	if tvb:len() > 4 then
		each_attr(branch, tvb(4):range(), is_little(tvb), fn)
	end
	return tvb:len()
end

DissectorTable.get("genl.family"):add("TASKACCT", taskacct)
