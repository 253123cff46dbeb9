# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# How a shell completes a line of one of the commands; for scripts of tests with tap.sh.
# The name of the command comes first, and its completion is in tools/NAME/. $top and $work
# are tap.sh's.
# shellcheck disable=SC2154

# Words that bash offers for the last of "$@"
complete_bash()
{
	bash --norc -c '
		. /usr/share/bash-completion/bash_completion
		. "$1"
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMP_LINE="${*:2}"
		COMP_POINT=${#COMP_LINE}
		"_$2" 2>/dev/null
		# At once: who has found a word reads no further.
		printf -v words "%s\n" "${COMPREPLY[@]}"
		printf %s "$words"
	' - "$top/tools/$1/$1.bash" "$@"
}

# Words that fish offers for the end of the line "$*"
complete_fish()
{
	fish --no-config -c "
		source $top/tools/${1%% *}/${1%% *}.fish
		complete -c somecommand -a the-commands-own
		complete -C '$*'
	" 2>&1 | cut -f 1
}

# What a line becomes when Tab is pressed at its end, in a shell with a terminal
complete_zsh()
{
	local name=${1%% *}

	mkdir -p "$work/zsh"
	cp "$top/tools/$name/$name.zsh" "$work/zsh/_$name"
	printf '%s\n' '#compdef somecommand' 'compadd -- the-commands-own' \
		>"$work/zsh/_somecommand"
	python3 - "$work/zsh" "$@" <<-'EOF'
		import os, pty, select, sys, time
		pid, fd = pty.fork()
		if not pid:
		    os.environ.update(TERM="dumb", HOME=sys.argv[1])
		    os.execvp("zsh", ["zsh", "-f", "-i"])
		def read(until):
		    text = b""
		    end = time.time() + 30
		    while until not in text and time.time() < end:
		        if select.select([fd], [], [], 0.1)[0]:
		            text += os.read(fd, 65536)
		    return text.decode(errors="replace")
		os.write(fd, b"PS1=; fpath=(" + sys.argv[1].encode() + b" $fpath); "
		         b"autoload -Uz compinit; compinit -u -D; setopt nobeep; "
		         b"shown() { echo \"<$BUFFER>\"; zle kill-whole-line }; "
		         b"zle -N shown; bindkey '^X' shown; echo rea''dy\n")
		read(b"ready")
		for line in sys.argv[2:]:
		    os.write(fd, line.encode() + b"\t\x18")
		    text = read(b">")
		    print(text[text.rindex("<"):].split(">")[0][1:].rstrip())
		os.kill(pid, 9)
	EOF
}
