# SPDX-License-Identifier: GPL-2.0-only
#
# Read a file, and then what diff(1) says of it and its form by clang-format; print the
# lines that differ in white space alone. Variable: file, its name.
#
# Where to break a line is left to the author: the tool breaks conditional expressions and
# tables for the worse. So are lines around such a break, those behind "?:", columns, and
# macros of several lines. The tool takes names of C that are words of C++ for those, a
# macro that begins an initializer for a call, and a pointer among the arguments of a
# function pointer for a product.

function bare(line)
{
	gsub(/[ \t]/, "", line)
	return line
}

function squeezed(line,    indent)
{
	indent = line
	sub(/[^ \t].*/, "", indent)
	gsub(/[ \t]+/, " ", line)
	return indent line
}

function is_exempt(before, from, to)
{
	return before ~ /(\\|\?:)$/ || from ~ /\\$/ ||
		from ~ /^FIXTURE_VARIANT_ADD/ || to ~ /[ \t](class \+\+|not ;)/ ||
		to ~ /\)\(struct [a-z]+ \* [a-z]+\)/
}

function flush_hunk(    i, same)
{
	same = old == new
	for (i = 1; same && i <= old; i++)
		same = bare(from[i]) == bare(to[i])
	for (i = 1; same && i <= old; i++)
		if (squeezed(from[i]) != squeezed(to[i]) &&
		    !is_exempt(lines[first + i - 2], from[i], to[i]))
			print file ":" first + i - 1 ": " to[i]
	old = new = 0
}

NR == FNR { lines[FNR] = $0; next }
/^[0-9]/ { flush_hunk(); first = $0 + 0 }
/^< / { from[++old] = substr($0, 3) }
/^> / { to[++new] = substr($0, 3) }
END { flush_hunk() }
