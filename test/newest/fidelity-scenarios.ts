// The scenarios in which the newest pi by itself is held against the same pi behind the gateway: what is said to pi. In groups: those
// of one group are walked in one process, and each group has a fresh one.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '../support/inbox.ts';
import { pixel } from './fidelity-model.ts';
import type { Lines } from './lines-client.ts';

/** One pi under way, by itself or behind the gateway. */
export interface Way {
  readonly pi: Lines;
  readonly project: string;
}

type Scenario = (way: Way) => Promise<unknown>;

const isA = (type: string) => (line: Frame) => line.type === type;
const isUpdate = (kind: string) => (line: Frame) =>
  line.type === 'message_update' && Object(line.assistantMessageEvent).type === kind;
const says =
  (name: string): Scenario =>
  ({ pi }) =>
    pi.run(`[[${name}]] go`);
const all = (...names: string[]): Record<string, Scenario> =>
  Object.fromEntries(names.map((name) => [name, says(name)]));

/** While a tool waits for its file. */
const whileWaiting =
  (act: (pi: Lines) => Promise<unknown>): Scenario =>
  async ({ pi, project }) => {
    const file = join(project, 'go');
    if (existsSync(file)) rmSync(file);
    await pi.run('[[waiting]] go', async (from) => {
      await pi.hear('the tool at work', isA('tool_execution_start'), from);
      await act(pi);
      writeFileSync(file, '');
    });
  };
const abortAt =
  (name: string, moment: (line: Frame) => boolean): Scenario =>
  ({ pi }) =>
    pi.run(`[[${name}]] go`, async (from) => {
      await pi.hear('the moment', moment, from);
      await pi.ask({ type: 'abort' });
    });
/** One question after the other. */
const asks =
  (...commands: { readonly type: string; readonly [field: string]: unknown }[]): Scenario =>
  async ({ pi }) => {
    for (const command of commands) await pi.ask(command);
  };
/** A line as it stands, and whatever is answered. */
const said =
  (line: string): Scenario =>
  async ({ pi }) => {
    const from = pi.frames.length;
    pi.raw(line);
    await pi.hear('an answer', isA('response'), from);
  };
const queries = [
  'get_state',
  'get_messages',
  'get_session_stats',
  'get_last_assistant_text',
  'get_fork_messages',
  'get_available_models',
  'get_available_thinking_levels',
  'get_commands',
  'get_entries',
  'get_tree',
].map((type) => ({ type }));

const onRaw =
  (name: string): Scenario =>
  async ({ pi }) => {
    await pi.ask({ type: 'set_model', provider: 'raw', modelId: 'raw-1' });
    await pi.run(`[[${name}]] go`);
    await pi.ask({ type: 'set_model', provider: 'fake', modelId: 'fake-1' });
  };

/** By group and name. */
export const groups: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  words: {
    ...all('text', 'think', 'interleaved', 'redacted', 'unicode', 'surrogate', 'long', 'empty', 'emptytext'),
    ...all('emptydelta', 'pause', 'stopseq', 'refusal', 'max-tokens'),
    bytesplit: onRaw('bytesplit'),
    images: ({ pi }) =>
      pi.run('[[image]] look', undefined, { images: [{ type: 'image', data: pixel, mimeType: 'image/png' }] }),
    after: asks(...queries),
  },
  tools: {
    ...all('tools', 'toolseq', 'toolerr', 'toolempty', 'toolbadjson', 'toolimage', 'toolbig'),
  },
  failures: {
    ...all('overloaded', 'mid-error', 'mid-drop', 'bad-request', 'http401'),
    mid_invalid: onRaw('mid_invalid'),
    'bad: no such command': said('{"id":"b1","type":"no_such"}'),
    'bad: the same without id': said('{"type":"no_such"}'),
    'bad: a prompt without words': said('{"id":"b2","type":"prompt"}'),
    'bad: no JSON': said('{broken'),
    bad: asks(
      { type: 'set_thinking_level', level: 'bogus' },
      { type: 'set_model', provider: 'no', modelId: 'no' },
      { type: 'fork', entryId: 'no' },
    ),
  },
  queue: {
    steer: whileWaiting((pi) => pi.ask({ type: 'steer', message: '[[text]] to the left' })),
    followup: whileWaiting((pi) => pi.ask({ type: 'follow_up', message: '[[think]] and then' })),
    psteer: whileWaiting((pi) =>
      pi.ask({ type: 'prompt', message: '[[text]] to the right', streamingBehavior: 'steer' }),
    ),
    busy: whileWaiting((pi) => pi.ask({ type: 'prompt', message: '[[text]] too early' })),
    clearq: whileWaiting(async (pi) => {
      await pi.ask({ type: 'steer', message: '[[text]] one' });
      await pi.ask({ type: 'follow_up', message: '[[text]] two' });
      await pi.ask({ type: 'clear_queue' });
    }),
    aborttext: abortAt('hold', isUpdate('text_delta')),
    abortthink: abortAt('hold-think', isUpdate('thinking_delta')),
    aborttool: abortAt('hold-tool', isA('tool_execution_start')),
  },
  // An abort right behind its prompt is not here: whether pi 1.5.2 loses the abort depends on when the line arrives.
  compaction: {
    compactempty: asks({ type: 'compact' }),
    compact: async ({ pi }) => {
      await pi.run('[[text]] one');
      await pi.run('[[think]] two');
      await pi.ask({ type: 'compact', customInstructions: 'Be brief.' });
      await pi.run('[[text]] three');
    },
    autocompact: says('compact'),
    maxtok: says('maxtok'),
  },
  sessions: {
    state: async ({ pi }) => {
      await asks(
        { type: 'set_thinking_level', level: 'high' },
        { type: 'cycle_thinking_level' },
        { type: 'cycle_model' },
        { type: 'set_steering_mode', mode: 'all' },
        { type: 'set_follow_up_mode', mode: 'all' },
        { type: 'set_auto_compaction', enabled: false },
        { type: 'set_auto_retry', enabled: false },
        { type: 'set_session_name', name: 'A talk' },
        { type: 'get_state' },
      )({ pi, project: '' });
    },
    bash: async ({ pi }) => {
      await asks(
        { type: 'bash', command: 'echo out; echo err >&2; exit 3' },
        { type: 'bash', command: 'true', excludeFromContext: true },
        { type: 'get_messages' },
      )({ pi, project: '' });
      const from = pi.frames.length;
      const result = pi.ask({ type: 'bash', command: 'echo begun; sleep 60' });
      await pi.hear('its output', isA('bash_execution_update'), from);
      await pi.ask({ type: 'abort_bash' });
      await result;
    },
    ext: async ({ pi }) => {
      const from = pi.frames.length;
      const answered = pi.ask({ type: 'prompt', message: '/questions' });
      let at = from;
      for (const said of [{ value: 'two' }, { confirmed: true }, { value: 'some words' }, { cancelled: true }]) {
        const isDialog = ({ type, method }: Frame) =>
          type === 'extension_ui_request' && ['select', 'confirm', 'input', 'editor'].includes(String(method));
        const asked = await pi.hear('a dialog', isDialog, at);
        at = pi.frames.indexOf(asked, at) + 1;
        pi.send({ type: 'extension_ui_response', id: asked.id, ...said });
      }
      await answered;
    },
    export: async ({ pi, project }) => {
      await pi.run('[[text]] to export');
      await pi.ask({ type: 'export_html', outputPath: join(project, 'talk.html') });
    },
    sess: async ({ pi }) => {
      await pi.run('[[text]] second');
      const state = Object((await pi.ask({ type: 'get_state' })).data);
      const points = Object((await pi.ask({ type: 'get_fork_messages' })).data).messages;
      await pi.ask({ type: 'fork', entryId: Object(points[1]).entryId });
      await pi.ask({ type: 'get_messages' });
      await pi.ask({ type: 'new_session' });
      await pi.run('[[text]] in a new one');
      await pi.ask({ type: 'switch_session', sessionPath: state.sessionFile });
      await pi.ask({ type: 'get_messages' });
      await pi.ask({ type: 'clone' });
      await pi.ask({ type: 'get_state' });
    },
  },
};
