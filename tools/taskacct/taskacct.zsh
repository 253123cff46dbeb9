#compdef taskacct
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for zsh. The command itself says which words there are.

local verb=${words[2]} value=no
integer i

if (( CURRENT == 2 )); then
	compadd -- ${(f)"$(taskacct help words)"}
	return
fi
# What is behind it belongs to the command of run.
if [[ $verb == run ]]; then
	for (( i = 3; i < CURRENT; i++ )); do
		if [[ $value == yes ]]; then
			value=no
			continue
		fi
		case ${words[i]} in
		--) (( i++ )); break ;;
		-o|-s|-l|--to|--by|--sort|--limit|--output) value=yes ;;
		-*) ;;
		*) break ;;
		esac
	done
	if (( i < CURRENT )); then
		shift $(( i - 1 )) words
		(( CURRENT -= i - 1 ))
		_normal
		return
	fi
fi
case ${words[CURRENT - 1]} in
-o|-s|--output|--sort|--by) compadd -- ${(f)"$(taskacct help words fields)"}; return ;;
-D|--dir) _files -/; return ;;
--html|--trace|--to|--names) _files; return ;;
--color) compadd -- auto always never; return ;;
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
