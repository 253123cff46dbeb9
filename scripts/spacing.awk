# SPDX-License-Identifier: GPL-2.0-only
#
# Read what diff(1) says of a file and its form by clang-format, and print the
# lines that differ in white space alone. Where to break a line is left to the
# author: the tool breaks conditional expressions and tables for the worse. So
# are columns, those of a macro's backslashes too. Variable: file, its name.

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

function flush_hunk(    i)
{
	for (i = 1; old == new && i <= old; i++)
		if (bare(from[i]) == bare(to[i]) &&
		    squeezed(from[i]) != squeezed(to[i]) &&
		    from[i] !~ /\\$/)
			print file ":" first + i - 1 ": " to[i]
	old = new = 0
}

/^[0-9]/ { flush_hunk(); first = $0 + 0 }
/^< / { from[++old] = substr($0, 3) }
/^> / { to[++new] = substr($0, 3) }
END { flush_hunk() }
