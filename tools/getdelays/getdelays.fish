# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for fish: options, and what belongs behind those that take a value

# What is behind -c belongs to the command.
function __getdelays_command
    contains -- -c (commandline -opc); or contains -- --command (commandline -opc)
end

function __getdelays_option
    complete -c getdelays -n 'not __getdelays_command' $argv
end

complete -c getdelays -f
complete -c getdelays -n __getdelays_command \
    -a '(__fish_complete_subcommand -p -t -C -m -w -R -r --pid --tgid --cgroup --cpumask --write --read --rcvbuf --filter --one-in --family --batch)'
__getdelays_option -s c -l command -d 'Run a command'
__getdelays_option -s p -l pid -x -d 'A task' -a '(__fish_complete_pids)'
__getdelays_option -s t -l tgid -x -d 'A process' -a '(__fish_complete_pids)'
__getdelays_option -s C -l cgroup -x -d 'What the tasks of a cgroup are doing' \
    -a '(__fish_complete_directories)'
__getdelays_option -s l -l listen -d 'Tell of every task that exits'
__getdelays_option -s m -l cpumask -x -d 'Only exits on these CPUs' -a all
__getdelays_option -l per-cpu -d 'A listener on each CPU'
__getdelays_option -l ring -d 'Shared memory or nothing'
__getdelays_option -l netlink -d 'No shared memory'
__getdelays_option -l filter -x -d 'Only those that meet it'
__getdelays_option -l one-in -x -d 'One in so many'
__getdelays_option -l processes -d 'Only records of processes'
__getdelays_option -l threads -d 'Only records of threads'
__getdelays_option -l extended -d 'All there is to know'
__getdelays_option -s d -l delays -d 'What was waited for'
__getdelays_option -s i -l io -d 'Input and output'
__getdelays_option -s q -l switches -d 'Context switches'
__getdelays_option -s w -l write -r -F -d 'Log what is received'
__getdelays_option -s R -l read -r -F -d 'Read a log'
__getdelays_option -l json -d JSON
__getdelays_option -l csv -d CSV
__getdelays_option -l family -x -d 'Generic netlink family' -a 'TASKACCT TASKSTATS'
__getdelays_option -s r -l rcvbuf -x -d 'Receive buffer'
__getdelays_option -l batch -x -d 'Messages may wait for others'
__getdelays_option -s v -l verbose -d 'Say more'
__getdelays_option -s h -l help -d Help
__getdelays_option -s V -l version -d Version
