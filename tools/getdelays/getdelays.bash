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
	-w | --write | -R | --read)
		_filedir
		return
		;;
	--summary)
		mapfile -t COMPREPLY < <(compgen -W comm -- "$cur")
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
	-r | --rcvbuf)
		return
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W '--pid --tgid --command --listen
		--cpumask --per-cpu --delays --io --switches --write --read
		--summary --json --csv --rcvbuf --family --status --verbose
		--help --version' -- "$cur")
}

complete -F _getdelays getdelays
