# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for fish. The command itself says which words there are.

function __taskacct_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __taskacct_is
    contains -- (__taskacct_verb) $argv
end

# Whether the command of run has begun: how many words come before it, or nothing
function __taskacct_before
    set -l words (commandline -opc) (commandline -ct)
    set -l value no
    test "$words[2]" = run; or return
    for i in (seq 3 (count $words))
        if test $value = yes
            set value no
        else if test "$words[$i]" = --
            test $i -lt (count $words); and echo $i
            return
        else if contains -- $words[$i] -o -s -l --to --by --sort --limit --output
            set value yes
        else if not string match -q -- '-*' $words[$i]
            test $i -lt (count $words); and math $i - 1
            return
        end
    end
end

# What is behind it belongs to the command.
function __taskacct_command
    test -n "$(__taskacct_before)"
end

function __taskacct_wants_field
    contains -- (commandline -opc)[-1] -o -s --output --sort --by
end

complete -c taskacct -f
complete -c taskacct -n '__taskacct_wants_field; and not __taskacct_command' \
    -a '(taskacct help words fields)'
complete -c taskacct -n 'not __taskacct_verb' -a '(taskacct help words)'
complete -c taskacct -n '__taskacct_is help' -a '(taskacct help words) fields'
complete -c taskacct -n '__taskacct_verb; and not __taskacct_command' \
    -a '(string match -q -- "-*" (commandline -ct); and taskacct help words (__taskacct_verb))'
complete -c taskacct -n '__taskacct_is exits report' -F
complete -c taskacct -n '__taskacct_is record' -s D -l dir -x \
    -a '(__fish_complete_directories)'
complete -c taskacct -n '__taskacct_is run; and not __taskacct_command' \
    -a '(__fish_complete_command)'
complete -c taskacct -n __taskacct_command \
    -a '(__fish_complete_subcommand --fcs-skip=2 -o -s -l --to --by --sort --limit --output)'
complete -c taskacct -n '__taskacct_is show' -a 'user: unit: cgroup:'
complete -c taskacct -n '__taskacct_is counters' \
    -a '(taskacct counters -H 2>/dev/null | string split -f 1 " ")'
