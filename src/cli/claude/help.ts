// What `patchbay-claude` says of itself.

export { claudeCodeVersion } from '../../adapters/claude/frontend/system-frames.ts';

/** `--help`. */
export const claudeHelp = `patchbay-claude: a stand-in for claude, with any agent behind it

Usage:
  patchbay-claude --input-format stream-json --output-format stream-json [claude's own options]
  patchbay-claude -p [prompt] [--output-format text|json|stream-json] [claude's own options]

The Claude Agent SDK starts the first form: give it this program as pathToClaudeCodeExecutable. The second is what people
type; what is piped in is added to the prompt. Everything else that claude does is not served here.

Which agent answers, the first that is said:
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of that configuration
  ./patchbay.json                             its default agent
  a claude on the PATH that is not this program
  the demo agent

An agent of the protocol claude that is a program gets claude's options behind its own; the last one counts. Any other
agent is asked for --model, --permission-mode, --thinking, --max-thinking-tokens, --effort, --name, --resume, --continue,
--system-prompt and --append-system-prompt (-file too) if it can do that; what is not heard is told on stderr, which the SDK
shows to its option \`stderr\` alone.
PATCHBAY_VERBOSE=1 tells repairs and losses too.

--session-id names the session in all frames. --resume takes such an id, or the path of a conversation that the agent has
stored; which id belongs to which is kept in XDG_STATE_HOME/agent-patchbay, unless --no-session-persistence is given.

Tools that wait for permission: with --permission-prompt-tool=stdio, which the SDK passes when it has a canUseTool, the
client is asked. Without it, and with -p, they are denied at once.

--version prints the version of Claude Code whose format is spoken. auth status prints that nobody needs to log in.

Exit codes: 0 done, 1 when the last result was an error or the agent ended, 2 called wrongly, 128 and the signal's number
after a signal.

Examples:
  PATCHBAY_AGENT=demo patchbay-claude -p 'think tool'
  git diff | patchbay-claude -p 'Review this' --output-format json
`;
