// Talks with Claude Code, as data: how it is started, what a script says to it, and how the talk must end. Each gives a
// trace in the corpus form, so that whatever reads traces can be tried on fresh ones.

import { type ClaudeStart, untilThere } from '../support/claude-code-rig.ts';
import { isEvent, isResult, promptFrame } from '../support/claude-turn.ts';
import type { DirectAgent } from './direct-agent.ts';
import { questions } from './scenarios.ts';
import {
  allow,
  andThenText,
  answer,
  ask,
  deny,
  interruptAt,
  isRequest,
  respond,
  serveTools,
  single,
  turn,
} from './talk-steps.ts';

/** A talk. */
export interface Talk {
  readonly start?: ClaudeStart;
  run(agent: DirectAgent): Promise<void>;
  /** `is_error` of each result, in order. */
  readonly errors: readonly boolean[];
  /** Departures from the strict grammar beside those of any talk (docs/protocols/claude.md 5). */
  readonly departs?: readonly string[];
  /** A sub-agent works on when the turn is over. */
  readonly isInBackground?: boolean;
  /** It changes the arguments of a call behind their stream, and whoever is told hears of both. */
  readonly normalises?: boolean;
  /** Words that must be in the trace, so that the talk is what its name says. */
  readonly shows?: readonly string[];
}

const full: ClaudeStart = { isBare: false };

const initialize = (more: object = {}) => ({ subtype: 'initialize', ...more });

const talks: Record<string, Talk> = {
  text: { run: andThenText('text'), errors: [false, false] },
  thinking: { run: single('think'), errors: [false] },
  'parallel-tools': { run: andThenText('cc-tools'), errors: [false, false], shows: ['tool_result'] },
  'slow-after-tool': { run: single('cc-slow-after-tool'), errors: [false] },
  'tool-errors': {
    run: andThenText('cc-errors', async (agent, from) => void (await answer(agent, from, allow))),
    errors: [false, false],
    shows: ['No such tool', 'Exit code 3'],
  },
  'perm-allow': {
    run: andThenText('cc-write', async (agent, from) => void (await answer(agent, from, allow))),
    errors: [false, false],
  },
  'perm-changed-input': {
    run: andThenText('cc-write', async (agent, from) => {
      await answer(agent, from, ({ input }) => ({
        behavior: 'allow',
        updatedInput: { ...input, command: 'echo changed' },
      }));
    }),
    errors: [false, false],
    shows: ['"content":"changed"'],
  },
  'perm-deny': {
    run: andThenText('cc-write', async (agent, from) => void (await answer(agent, from, deny))),
    errors: [false, false],
    shows: ['Not today.', '"permission_denials":[{'],
  },
  'perm-deny-interrupt': {
    run: andThenText('cc-write', async (agent, from) => {
      await answer(agent, from, () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }));
    }),
    errors: [true, false],
  },
  'perm-parallel': {
    run: andThenText('cc-write-two', async (agent, from) => {
      await answer(agent, await answer(agent, from, allow), deny);
    }),
    errors: [false, false],
  },
  'perm-edit-suggestions': {
    run: andThenText('cc-edit', async (agent, from) => void (await answer(agent, from, allow))),
    errors: [false, false],
    normalises: true,
    shows: ['permission_suggestions'],
  },
  'perm-error-response': {
    run: andThenText('cc-write', async (agent, from) => {
      const asked = await agent.waitFor(isRequest('can_use_tool'), 'the question', from);
      const error = { subtype: 'error', request_id: asked.request_id, error: 'canUseTool callback is not provided.' };
      agent.send({ type: 'control_response', response: error });
    }),
    errors: [false, false],
  },
  'ask-user-question': {
    start: full,
    run: andThenText('cc-ask', async (agent, from) => {
      await answer(agent, from, ({ input }) => ({
        behavior: 'allow',
        updatedInput: { ...input, answers: { [questions[0]?.question ?? '']: 'Blue' } },
      }));
    }),
    errors: [false, false],
    shows: ['Blue'],
  },
  'todo-plan': {
    start: { ...full, more: ['--permission-mode', 'plan'] },
    run: andThenText('cc-plan', async (agent, from) => void (await answer(agent, from, allow))),
    errors: [false, false],
    shows: ['ExitPlanMode'],
  },
  'interrupt-stream': {
    run: andThenText('hold', (agent, from) => interruptAt(agent, from, isEvent('content_block_delta'))),
    errors: [true, false],
  },
  'interrupt-thinking': {
    run: andThenText('abort-think', (agent, from) => interruptAt(agent, from, isEvent('content_block_delta'))),
    errors: [true, false],
  },
  'interrupt-arguments': {
    run: andThenText('cc-abort-args', (agent, from) =>
      interruptAt(agent, from, isEvent('content_block_delta', 'input_json_delta')),
    ),
    errors: [true, false],
  },
  'interrupt-tool': {
    run: andThenText('cc-abort-tool', async (agent, from) => {
      await answer(agent, from, allow);
      await untilThere(agent.project, 'started');
      await ask(agent, 'stop', { subtype: 'interrupt' });
    }),
    errors: [true, false],
  },
  'interrupt-permission': {
    run: andThenText('cc-write', (agent, from) => interruptAt(agent, from, isRequest('can_use_tool'))),
    errors: [true, false],
    shows: ['control_cancel_request'],
  },
  'interrupt-idle': {
    run: async (agent) => {
      await ask(agent, 'idle', { subtype: 'interrupt' });
      await turn(agent, '[[text]] after it');
    },
    errors: [false],
  },
  'two-prompts-at-once': {
    run: async (agent) => {
      agent.send(promptFrame('[[think]] one'));
      agent.send(promptFrame('[[text]] two'));
      const first = await agent.waitFor(isResult, 'the first result');
      await agent.waitFor(isResult, 'the second result', agent.frames.indexOf(first) + 1);
    },
    errors: [false, false],
  },
  'queued-while-busy': {
    run: (agent) =>
      turn(agent, '[[cc-write]] first', async (from) => {
        const asked = await agent.waitFor(isRequest('can_use_tool'), 'the question', from);
        agent.send(promptFrame('and [[text]] this'));
        respond(agent, asked, allow(Object(asked.request)));
      }),
    errors: [false],
  },
  'control-misc': {
    run: async (agent) => {
      await ask(agent, 'm', { subtype: 'set_model', model: 'fake-2' });
      await ask(agent, 'p', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
      await ask(agent, 'b', { subtype: 'set_permission_mode', mode: 'nonsense' });
      await ask(agent, 't', { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 100 });
      await ask(agent, 's', { subtype: 'mcp_status' });
      await ask(agent, 'u', { subtype: 'no_such_thing' });
      await turn(agent, '[[text]] with another model');
    },
    errors: [false],
    shows: ['Unsupported control request subtype', '"model":"fake-2"'],
  },
  hooks: {
    start: full,
    run: async (agent) => {
      const hooks = {
        PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['before'] }],
        PostToolUse: [{ matcher: 'Bash', hookCallbackIds: ['behind'] }],
      };
      await ask(agent, 'init', initialize({ hooks }));
      await turn(agent, '[[cc-tools]] hooked', async (from) => {
        const next = await answer(agent, from, () => ({ continue: true }), 'hook_callback');
        await answer(agent, next, () => ({ continue: true }), 'hook_callback');
      });
      await turn(agent, '[[cc-write]] denied by a hook', async (from) => {
        const decision = { permissionDecision: 'deny', permissionDecisionReason: 'The hook says no.' };
        const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
        await answer(agent, from, () => output, 'hook_callback');
      });
    },
    errors: [false, false],
    shows: ['The hook says no.'],
  },
  'mcp-sdk': {
    start: full,
    run: async (agent) => {
      const serving = serveTools(agent);
      agent.send({ type: 'control_request', request_id: 'init', request: initialize({ sdkMcpServers: ['calc'] }) });
      await turn(agent, '[[cc-mcp]] add', async (from) => void (await answer(agent, from, allow)));
      await serving;
    },
    errors: [false],
    shows: ['tools/call'],
  },
  subagent: {
    start: full,
    run: andThenText('cc-agent'),
    errors: [false, false],
    shows: ['"parent_tool_use_id":"toolu'],
  },
  'subagent-background': {
    start: full,
    run: async (agent) => {
      await turn(agent, '[[cc-agent-background]] look');
      await agent.waitFor(isResult, 'the turn that nobody asked for', agent.frames.findIndex(isResult) + 1);
    },
    errors: [false, false],
    isInBackground: true,
    shows: ['task_notification'],
  },
  compact: {
    run: async (agent) => {
      await turn(agent, '[[text]] one');
      await turn(agent, '[[think]] two');
      await turn(agent, '/compact');
      await turn(agent, '[[text]] three');
    },
    errors: [false, false, false, false],
    shows: ['compact_boundary'],
  },
  'error-400': { run: andThenText('cc-400'), errors: [true, false] },
  'error-401': { run: andThenText('cc-401'), errors: [true, false] },
  'error-429': { run: andThenText('cc-429'), errors: [true, false] },
  'error-529-forever': { run: andThenText('cc-529'), errors: [true, false] },
  'error-529-then-ok': { run: andThenText('cc-529-once'), errors: [false, false], shows: ['api_retry'] },
  'error-midstream': {
    run: andThenText('cc-error-midstream'),
    errors: [false, false],
  },
  'cut-midstream': {
    run: andThenText('cc-cut-midstream'),
    errors: [false, false],
  },
  'stream-no-message-stop': {
    run: andThenText('cc-no-stop'),
    errors: [false, false],
  },
  'max-tokens': { run: andThenText('max-tokens'), errors: [false, false], shows: ['isSynthetic'] },
  refusal: { run: andThenText('refusal'), errors: [false, false], shows: ['isSynthetic'] },
  'empty-response': { run: andThenText('empty'), errors: [false, false], shows: ['isSynthetic'] },
  'max-turns': {
    start: { more: ['--max-turns', '1'] },
    run: single('cc-tools'),
    errors: [true],
    shows: ['error_max_turns'],
  },
  'unknown-blocks': { run: andThenText('cc-blocks'), errors: [false, false] },
  'future-block': { run: andThenText('cc-future'), errors: [false, false] },
  long: { run: single('long'), errors: [false] },
  unicode: { run: single('unicode'), errors: [false] },
  'content-string': {
    run: async (agent) => {
      agent.send({ type: 'user', message: { role: 'user', content: '[[text]] a bare string' } });
      await agent.waitFor(isResult, 'the result');
    },
    errors: [false],
  },
  'blank-crlf': {
    run: async (agent) => {
      agent.sendRaw('');
      agent.sendRaw(`${JSON.stringify(promptFrame('[[text]] carriage return'))}\r`);
      await agent.waitFor(isResult, 'the result');
    },
    errors: [false],
  },
  'unknown-input': {
    run: async (agent) => {
      agent.send({ type: 'hologram', beam: 7 });
      agent.send({ type: 'keep_alive' });
      await turn(agent, '[[text]] all the same');
    },
    errors: [false],
  },
  'eof-right-after-prompt': {
    run: async (agent) => agent.send(promptFrame('[[text]] and good-bye')),
    errors: [false],
  },
  'session-state': {
    start: { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' } },
    run: andThenText('cc-write', async (agent, from) => void (await answer(agent, from, allow))),
    errors: [false, false],
    shows: ['session_state_changed'],
  },
};

/** By name; those of the corpus have its names. */
export const allTalks: ReadonlyMap<string, Talk> = new Map(Object.entries(talks));
