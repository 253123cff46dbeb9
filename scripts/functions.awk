# SPDX-License-Identifier: GPL-2.0-only
#
# Find functions of C and shell files that are longer than 80 lines, and
# functions of the module's sources that other files can call and that have no
# kernel-doc comment.

function reset()
{
	comment = documented = is_static = 0
	name = ""
}

FNR == 1 { reset(); start = 0 }

/^\/\*\*$/ { comment = 1 }
/^ \*\/$/ { documented = comment; comment = 0; next }

# The first line of a definition; a declaration ends with a semicolon.
/^[a-z_].*\(/ && !/;$/ && !start {
	is_static = /^static /
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
}

/^{$/ {
	start = FNR
	if (name != "" && !is_static && !documented && FILENAME ~ /^src\/.*[.][ch]$/)
		print FILENAME ":" FNR ": " name " has no kernel-doc"
}

/^}/ {
	if (start && FNR - start - 1 > 80)
		print FILENAME ":" start ": " name " has " FNR - start - 1 \
			" lines"
	start = 0
	reset()
}

/^$/ && !start { reset() }
