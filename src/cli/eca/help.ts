// What `patchbay-eca` says of itself.

/** The version of eca whose protocol is spoken; clients of older ones are understood as well. */
export const spokenVersion = '0.155.1';

/** `--help`. */
export const ecaHelp = `patchbay-eca: a stand-in for eca, with any agent behind it

Usage:
  patchbay-eca server [eca's own options]

An editor with an ECA plugin is given the path of this program as that of its server. It serves ECA's protocol on stdin and
stdout until the editor leaves; each chat is a session of its own, with an agent of its own, in the editor's workspace.

Which agent answers, the first that is said:
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of that configuration
  the configuration of the user               its default agent
  an eca on the PATH that is not this program, as \`eca server\`
  the demo agent

The configuration of the user is XDG_CONFIG_HOME/agent-patchbay/patchbay.json, by default
~/.config/agent-patchbay/patchbay.json. It is also where --patchbay-agent is looked up when no other is named. A patchbay.json
in the working directory is not read: editors start servers in the project, and a project must not say what is started.

Options of eca:
  --verbose, --log-level debug   repairs and losses are told on stderr, as with PATCHBAY_VERBOSE=1
  --log-level error|warn|info    accepted
  --config-file <file>           for an eca behind us, which gets all of these; other agents do not take it
  --help, -h, --version          --version prints the version of eca whose protocol is spoken

Exit codes: 0 done, 1 failed while running, 2 called wrongly, 128 and the signal's number after a signal. An agent that ends
or cannot be started ends nothing here: the editor shows why.

Examples:
  patchbay-eca server --patchbay-agent demo
  PATCHBAY_CONFIG=~/patchbay.json patchbay-eca server --verbose
`;
