#!/bin/sh
# lockstep check: the three exit statuses, the words, and the JSON form.
. "$(dirname "$0")/lib/command.sh"
subcommand=check

printf 'bz tid, L\nL: stop\n' >ill.mus
printf 'v0 = \n' >bad.mus
expect 0 "fig6.mus: well-formed" "$source/examples/musimd/fig6.mus"
expect 1 "ill.mus:2:4: error: condition 4" ill.mus
expect 1 '"status":"ill-formed"' --json ill.mus
expect 1 '"severity":"error","condition":4,"line":2,"column":4,"message":"condition 4' --json ill.mus
expect 0 '{"status":"well-formed","findings":[]}' --json "$source/examples/musimd/fig6.mus"
expect 2 "bad.mus:1:" bad.mus
expect 2 "missing.mus: No such file" missing.mus
expect 2 "is a directory" .
expect 2 "FILE is required"
expect 0 "Example: lockstep check" --help
expect 2 "--nonsense" --nonsense ill.mus
# Each branch may leave its entry or not: 2^22 stacks at the end.
awk 'BEGIN { for (i = 0; i < 22; i++) printf "bz 0, L%d\nsync\nL%d: v = 1\n", i, i; print "stop" }' >large.mus
expect 3 "large.mus: undecided" large.mus
expect 3 '{"status":"undecided","findings":[{"severity":"error",' --json large.mus
counts
