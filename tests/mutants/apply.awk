# SPDX-License-Identifier: GPL-2.0-only
#
# awk -v name=NAME -f apply.awk LIST SOURCE: print SOURCE with the change that
# mutation NAME of LIST tells of. The lines that begin with "-" have to be there once,
# one after the other; those with "+" take their place. A "-" behind a "+" begins another
# place of the same source. Spaces at the ends of lines and between words do not count. It
# fails where lines are not there, or more than once.

function words(line)
{
	gsub(/[ \t]+/, " ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	return line
}

function found_at(i, place,    j)
{
	for (j = 1; j <= olds[place]; j++)
		if (words(lines[i + j - 1]) != old[place, j])
			return 0
	return 1
}

# Note where place @place is, if it is there once.
function find(place,    i, times)
{
	for (i = 1; i + olds[place] - 1 <= n; i++) {
		if (!found_at(i, place))
			continue
		place_at[i] = place
		times++
	}
	if (olds[place] && times == 1)
		return
	print name ": lines are there " times + 0 " times" >"/dev/stderr"
	exit 1
}

FILENAME == ARGV[1] && /^= / {
	mine = $2 == name
	replaced = 1
}
FILENAME == ARGV[1] {
	if (mine && /^-/) {
		places += replaced
		replaced = 0
		old[places, ++olds[places]] = words(substr($0, 2))
	} else if (mine && /^\+/) {
		replaced = 1
		new[places, ++news[places]] = substr($0, 2)
	}
	next
}
{ lines[++n] = $0 }

END {
	for (place = 1; place <= (places ? places : 1); place++)
		find(place)
	for (i = 1; i <= n; i++) {
		place = place_at[i]
		if (!place) {
			print lines[i]
			continue
		}
		for (j = 1; j <= news[place]; j++)
			print new[place, j]
		i += olds[place] - 1
	}
}
