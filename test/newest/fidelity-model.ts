// What the model says in the scenarios that only the newest pi is tried with, beside those of the fake model; and a server that says
// what the fake model cannot: bytes cut anywhere, and events that are no JSON.
import { type Block, type Scenario, scenarios } from '../../src/conformance/model/answers.ts';
import { type ScriptedApi, sse, startScriptedApi } from '../support/scripted-api.ts';

const text = (...deltas: string[]): Block => ({ type: 'text', deltas });
const thinking = (...deltas: string[]): Block => ({ type: 'thinking', deltas, signature: 'c2lnbmVkIQ==' });
const whole = (block: { type: string; [key: string]: unknown }): Block => ({ type: 'whole', block, deltas: [] });
const call = (name: string, input: object): Block => ({ type: 'tool_use', name, deltas: [JSON.stringify(input)] });
const done = { blocks: [text('Done.')] };
const said = [text('Whole ', 'again.')];

/** A picture of one pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const more: Record<string, Scenario> = {
  interleaved: () => [
    { blocks: [thinking('First ', 'thought.'), text('First words.'), thinking('Second.'), text('Second ', 'words.')] },
  ],
  // Empty pieces keep the line open, and what was thought does not depend on how long that lasts.
  'hold-think': () => [{ blocks: [thinking('I think ', 'and think.', '')], endless: true }],
  // Prints nothing, so that what is said of it does not depend on when it ends.
  'hold-tool': () => [{ blocks: [text('Running.'), call('bash', { command: 'sleep 60' })] }],
  redacted: () => [{ blocks: [whole({ type: 'redacted_thinking', data: 'aGlkZGVu' }), text('After it.')] }],
  emptytext: () => [{ blocks: [text('')] }],
  emptydelta: () => [{ blocks: [text('', 'A', '', 'B', '')] }],
  pause: () => [{ blocks: [text('I pause.')], stop: 'pause_turn' }],
  stopseq: () => [{ blocks: [text('Until here')], stop: 'stop_sequence' }],
  surrogate: () => [{ blocks: [text('half \ud83d', '\ude00 and lone \ud83d', ' end')] }],
  http401: () => [
    { blocks: said, faults: Array.from({ length: 20 }, () => ({ status: 401, error: 'authentication_error' })) },
  ],
  'mid-drop': () => [{ blocks: said, faults: [{ after: [text('Half a ', 'sentence')], stops: 'cut' }] }],
  toolseq: () => [
    { blocks: [call('bash', { command: 'echo one' })] },
    { blocks: [text('And '), call('read', { path: 'notes.txt' })] },
    done,
  ],
  toolempty: () => [{ blocks: [call('bash', { command: 'true' })] }, done],
  toolbadjson: () => [{ blocks: [{ type: 'tool_use', name: 'bash', deltas: ['{"comm', 'and": "ec'] }] }, done],
  toolimage: () => [{ blocks: [call('read', { path: 'pixel.png' })] }, done],
  toolbig: () => [{ blocks: [call('bash', { command: 'seq 1 20000' })] }, done],
  maxtok: () => [{ blocks: [text('Cut off in the mid')], stop: 'max_tokens', inputTokens: 199_000 }, done],
};

/** All scenarios of the fidelity table. */
export const fidelityScenarios: ReadonlyMap<string, Scenario> = new Map([...scenarios, ...Object.entries(more)]);

const usage = { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };
const delta = (words: string) => sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: words } });

/** A model that says `ünï 中 😀` in bytes cut within characters, and of the second scenario a broken event first. */
export function startRawModel(): Promise<ScriptedApi> {
  let ids = 0;
  const broken = new Set<string>();
  return startScriptedApi(({ body, response }) => {
    const asked = JSON.stringify(body.messages);
    const isBroken = asked.lastIndexOf('[[mid_invalid]]') > asked.lastIndexOf('[[bytesplit]]') && broken.size === 0;
    ids += 1;
    const head = [
      sse('message_start', {
        message: {
          id: `raw_${ids}`,
          type: 'message',
          role: 'assistant',
          model: 'raw-1',
          content: [],
          stop_reason: null,
          usage,
        },
      }),
      sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ];
    const end = [
      sse('content_block_stop', { index: 0 }),
      sse('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
      sse('message_stop'),
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (isBroken) {
      broken.add('once');
      response.end([...head, delta('Half'), 'event: content_block_delta\ndata: {"type":"content_bl\n\n'].join(''));
      return;
    }
    const bytes = Buffer.from([...head, delta('ünï 中 😀 '), delta('end'), ...end].join(''));
    // Each character of several bytes is cut in two.
    for (let at = 0; at < bytes.length; at += 3) response.write(bytes.subarray(at, at + 3));
    response.end();
  });
}
