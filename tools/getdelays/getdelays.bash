# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for bash: options, and what belongs behind those that take a value

_getdelays()
{
	# shellcheck disable=SC2034 # words is what _init_completion wants to set
	local cur prev words cword

	_init_completion || return
	case $prev in
	-p | --pid)
		_pids
		return
		;;
	-t | --tgid)
		_pgids
		_pids
		return
		;;
	-c | --command)
		_command_offset "$cword"
		return
		;;
	-C | --cgroup)
		_filedir -d
		return
		;;
	-w | --write | -R | --read)
		_filedir
		return
		;;
	--filter)
		# The "=" of a condition ends a word of its own.
		mapfile -t COMPREPLY < <(compgen -W 'uid= cgroup= lifetime>=
			cpu>= failed one-in= threads processes' -- "$cur")
		compopt -o nospace
		return
		;;
	--family)
		mapfile -t COMPREPLY < <(compgen -W 'TASKACCT TASKSTATS' -- "$cur")
		return
		;;
	-m | --cpumask)
		mapfile -t COMPREPLY < <(compgen -W "all $(
			cat /sys/devices/system/cpu/possible)" -- "$cur")
		return
		;;
	-r | --rcvbuf | --batch)
		return
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W '--pid --tgid --command --cgroup --listen
		--cpumask --per-cpu --ring --netlink --filter --processes --threads --extended
		--delays --io --switches --write --read --json --csv --family --rcvbuf
		--batch --verbose --help --version' -- "$cur")
}

complete -F _getdelays getdelays
