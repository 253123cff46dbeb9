#compdef taskacct
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for zsh. The command itself says which words there are.

local verb=${words[2]}

if (( CURRENT == 2 )); then
	compadd -- ${(f)"$(taskacct help words)"}
	return
fi
# What is behind -- belongs to the command.
if [[ $verb == run && ${words[(i)--]} -lt $CURRENT ]]; then
	shift ${words[(i)--]} words
	(( CURRENT -= ${words[(i)--]} ))
	_normal
	return
fi
case ${words[CURRENT - 1]} in
-o|-s|--output|--sort|--by) compadd -- ${(f)"$(taskacct help words fields)"}; return ;;
--html|--trace|--to|--names) _files; return ;;
help) compadd -- ${(f)"$(taskacct help words)"} fields; return ;;
esac
if [[ $PREFIX == -* ]]; then
	compadd -S '' -- ${(f)"$(taskacct help words $verb)"}
elif [[ $verb == (exits|report) ]]; then
	_files
elif [[ $verb == run ]]; then
	_command_names -e
elif [[ $verb == counters ]]; then
	compadd -- ${${(f)"$(taskacct counters -H 2>/dev/null)"}%% *}
elif [[ $verb == show ]]; then
	compadd -S '' -- user: unit: cgroup:
fi
