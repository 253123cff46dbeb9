# SPDX-License-Identifier: GPL-2.0-only
#
# awk -v name=NAME -f apply.awk LIST SOURCE: print SOURCE with the change that
# mutation NAME of LIST tells of. The lines that begin with "-" have to be there once,
# one after the other; those with "+" take their place. Spaces at their ends and
# between words do not count. It fails where they are not there, or more than once.

function words(line)
{
	gsub(/[ \t]+/, " ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	return line
}

function found_at(i,    j)
{
	for (j = 1; j <= olds; j++)
		if (words(lines[i + j - 1]) != old[j])
			return 0
	return 1
}

FILENAME == ARGV[1] && /^= / { mine = $2 == name }
FILENAME == ARGV[1] {
	if (mine && /^-/)
		old[++olds] = words(substr($0, 2))
	if (mine && /^\+/)
		new[++news] = substr($0, 2)
	next
}
{ lines[++n] = $0 }

END {
	for (i = 1; i + olds - 1 <= n; i++) {
		if (!found_at(i))
			continue
		at = i
		times++
	}
	if (!olds || times != 1) {
		print name ": lines are there " times + 0 " times" >"/dev/stderr"
		exit 1
	}
	for (i = 1; i <= n; i++) {
		if (i == at) {
			for (j = 1; j <= news; j++)
				print new[j]
			i += olds - 1
			continue
		}
		print lines[i]
	}
}
