# SPDX-License-Identifier: GPL-2.0-only
#
# A table of programs and kernels, in reST, of the lines "KERNEL PROGRAM PASSED
# FAILED SKIPPED SECONDS" that scripts/tap.awk writes. A cell has the tests that
# passed, in brackets those skipped, and the seconds.

function cell(kernel, program,    key, text)
{
	key = kernel SUBSEP program
	if (!(key in passed))
		return "\\-"
	text = passed[key] + 0
	if (skipped[key])
		text = text " (" skipped[key] ")"
	if (failed[key])
		text = failed[key] " FAILED"
	return text ", " seconds[key] + 0 " s"
}

# Print the texts of a line, each as wide as its column, without a tail.
function line(texts,    i, out)
{
	for (i = 0; i <= kernels; i++)
		out = out sprintf("%-*s  ", width[i], texts[i])
	sub(/ +$/, "", out)
	print out
}

function rule(    i, texts)
{
	for (i = 0; i <= kernels; i++)
		texts[i] = substr(dashes, 1, width[i])
	line(texts)
}

function widen(column, text)
{
	if (length(text) > width[column])
		width[column] = length(text)
}

!(("k", $1) in seen) { seen["k", $1] = 1; kernel[++kernels] = $1 }
!(("p", $2) in seen) { seen["p", $2] = 1; program[++programs] = $2 }

{
	passed[$1, $2] += $3
	failed[$1, $2] += $4
	skipped[$1, $2] += $5
	seconds[$1, $2] += $6
}

END {
	dashes = sprintf("%80s", "")
	gsub(/ /, "=", dashes)
	program[0] = "Program"
	for (j = 0; j <= programs; j++) {
		texts[j, 0] = program[j]
		for (i = 1; i <= kernels; i++)
			texts[j, i] = j ? cell(kernel[i], program[j]) : kernel[i]
		for (i = 0; i <= kernels; i++)
			widen(i, texts[j, i])
	}
	rule()
	for (j = 0; j <= programs; j++) {
		for (i = 0; i <= kernels; i++)
			row[i] = texts[j, i]
		line(row)
		if (!j)
			rule()
	}
	rule()
}
