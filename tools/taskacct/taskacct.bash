# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for bash. The command itself says which words there are.

_taskacct()
{
	# shellcheck disable=SC2034 # words is what _init_completion wants to set
	local cur prev words cword i verb=${COMP_WORDS[1]:-}

	_init_completion || return
	if [ "$cword" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(taskacct help words)" -- "$cur")
		return
	fi
	# What is behind the command of run belongs to that command.
	if [ "$verb" = run ]; then
		for ((i = 2; i < cword; i++)); do
			case ${words[i]} in
			--)
				_command_offset $((i + 1))
				return
				;;
			-o | -s | -l | --to | --by | --sort | --limit | --output) ((i++)) ;;
			-* | =) ;;
			*)
				[ "${words[i - 1]}" = = ] && continue
				_command_offset "$i"
				return
				;;
			esac
		done
	fi
	case $prev in
	-o | -s | --output | --sort | --by)
		mapfile -t COMPREPLY < <(compgen -W "$(taskacct help words fields)" -- "$cur")
		return
		;;
	-D | --dir)
		_filedir -d
		return
		;;
	--html | --trace | --to | --names)
		_filedir
		return
		;;
	--color)
		mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur")
		return
		;;
	help)
		mapfile -t COMPREPLY < <(compgen -W "$(taskacct help words) fields" -- "$cur")
		return
		;;
	esac
	case $verb:$cur in
	*:-*)
		mapfile -t COMPREPLY < <(compgen -W "$(taskacct help words "$verb")" -- "$cur")
		[[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace
		;;
	exits:* | report:*) _filedir ;;
	run:*) _command_offset "$cword" ;;
	counters:*)
		mapfile -t COMPREPLY < <(compgen -W "$(taskacct counters -H 2>/dev/null | cut -d ' ' -f 1)" -- "$cur")
		;;
	show:*) mapfile -t COMPREPLY < <(compgen -W 'user: unit: cgroup:' -- "$cur") ;;
	esac
}

complete -F _taskacct taskacct
