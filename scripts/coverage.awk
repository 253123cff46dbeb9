# SPDX-License-Identifier: GPL-2.0-only
#
# Add up the lines "COUNT:NUMBER:TEXT" of gcov over several runs and objects, for
# the sources below directory farm. A line counts as executed where any run came by.
# Fails where less than least percent were.

BEGIN { FS = ":" }

function percent(part, whole)
{
	return whole ? 100 * part / whole : 0
}

# A line "-:0:Source:NAME" begins a file.
$3 == "Source" {
	file = $4
	mine = index(file, farm "src/") == 1
	file = substr(file, length(farm) + 1)
	if (mine && !(file in lines))
		files[++n] = file
	if (mine)
		lines[file] += 0
	next
}

!mine || $1 ~ /^ *-$/ || $2 + 0 == 0 { next }

{
	number = $2 + 0
	if (!((file, number) in text)) {
		lines[file]++
		if (number > last[file])
			last[file] = number
		text[file, number] = substr($0, length($1 $2) + 3)
	}
	if ($1 !~ /#####|=====/ && !((file, number) in ran)) {
		ran[file, number] = 1
		executed[file]++
	}
}

END {
	print "Lines of src/ that no test has executed:"
	for (i = 1; i <= n; i++) {
		file = files[i]
		for (number = 1; number <= last[file]; number++)
			if ((file, number) in text && !((file, number) in ran))
				printf "  %s:%d:%s\n", file, number, \
					text[file, number]
		all += lines[file]
		all_executed += executed[file]
	}
	print "Lines executed:"
	for (i = 1; i <= n; i++)
		if (lines[files[i]])
			printf "  %5.1f %% of %4d  %s\n", \
				percent(executed[files[i]], lines[files[i]]), \
				lines[files[i]], files[i]
	printf "  %5.1f %% of %4d  together\n", \
		percent(all_executed, all), all
	if (percent(all_executed, all) < least) {
		printf "less than %d %%\n", least
		exit 1
	}
}
