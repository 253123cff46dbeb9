# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Performance Co-Pilot as Debian has it, in a VM, with taskacct's agent: what its test and the
# demo of the fleet share. $clients is build/clients, $work a directory.

# shellcheck disable=SC2154 # from those
pcp=$(readlink -f "$cache/pcp")
# shellcheck disable=SC2034 # for those that source this
agent=/var/lib/pcp/pmdas/taskacct
conf=/etc/pcp/taskacct/taskacct.conf
# shellcheck disable=SC2034 # likewise
python=/usr/bin/python3.11
export PCPQA_SYSTEMD=no PCP_PYTHON_PROG=$python

# PCP is put where its packages have it, and is written to in copies.
unpack_pcp()
{
	local file

	cp -asn "$pcp"/{etc,usr,var} /
	# What this system has of PCP may be of another version. Users need its libraries, too.
	cp -a --remove-destination "$pcp"/etc/pcp* /etc
	cp -a --remove-destination "$pcp"/usr/lib/libpcp*.so* /usr/lib
	for file in /etc/pcp/pmcd/* /var/lib/pcp/pmns/*; do
		[ ! -L "$file" ] || cp --remove-destination "$(readlink -f "$file")" "$file"
	done
	grep -q '^pcp:' /etc/passwd || {
		echo 'pcp:x:940:940::/var/lib/pcp:/usr/sbin/nologin' >>/etc/passwd
		echo 'pcp:x:940:' >>/etc/group
	}
	mkdir -p /run/pcp /var/log/pcp/pmcd /var/lib/pcp/{tmp,config/pmda} /etc/pcp/taskacct
	chown -R pcp:pcp /run/pcp /var/log/pcp /var/lib/pcp/tmp
	sed -i -E '/^(proc|xfs|linux|pmproxy|mmv|jbd2|kvm)\s/d' /etc/pcp/pmcd/pmcd.conf
	(cd /var/lib/pcp/pmns && ./Rebuild -sou) >"$work/rebuild" 2>&1
}

place_agent()
{
	cp -asn "$clients/pcp/installed"/{etc,usr,var} /
	cp --remove-destination "$clients/pcp/installed$conf" "$conf"
	cp "$top/build/tools/libtaskacct.so.1" /usr/lib
	ldconfig
}

# Tests are subshells, which end what they have started themselves.
start_pmcd()
{
	(
		/usr/lib/pcp/bin/pmcd -f -A -l /var/log/pcp/pmcd/pmcd.log &
		echo "$!" >"$work/pmcd"
	)
	await pminfo -f pmcd.numagents >/dev/null 2>&1
}

stop_pmcd()
{
	kill "$(cat "$work/pmcd")"
	await no_agent
	await no_pmcd
}

no_pmcd()
{
	! pgrep -r R,S,D,T -x pmcd >/dev/null
}

# Who has ended and is not reaped yet does not count.
agent_pid()
{
	pgrep -r R,S,D,T -x pmdataskacct
}

no_agent()
{
	! agent_pid >/dev/null
}

# Value of metric $1, of instance $2 where there are several
metric()
{
	pminfo -f "taskacct.$1" >"$work/fetched" 2>&1
	if [ $# = 1 ]; then
		sed -n 's/^ *value //p' "$work/fetched"
	else
		sed -n "s/^ *inst \[[0-9]* or \"$2\"\] value //p" "$work/fetched"
	fi
}

values()
{
	[ "$(metric ended.read)" ]
}
