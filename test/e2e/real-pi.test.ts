// The real pi behind the real gateway, seen by Claude clients over each transport and judged from three sides: the
// order of the frames, the content against pi's own record, the figures of the result.
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { longText, unicodeText } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { judgeTurn, saidIn } from '../support/claude-judge.ts';
import { interruptFrame, isEvent, promptFrame, turn } from '../support/claude-turn.ts';
import { type Client, connectSse, connectStdio, connectWebSocket } from '../support/clients.ts';
import { shareOf } from '../support/full.ts';
import { type GatewayServer, startServer } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { linesAround, makePiHome, type PiHome, recordOf } from '../support/pi-rig.ts';

let fake: FakeAnthropic;
let home: PiHome;
let server: GatewayServer;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  server = await startServer(home);
});
afterAll(async () => {
  await server?.close();
  await fake.close();
  home.remove();
});

const transports: Record<string, () => Promise<Client>> = {
  stdio: async () => connectStdio(home),
  websocket: async () => connectWebSocket(server, await server.createSession()),
  sse: async () => connectSse(server, await server.createSession()),
};

/** What a test does while the turn runs, from frame `from` on. */
type During = (client: Client, from: number, prompt: string) => Promise<void>;

async function interrupt(client: Client, from: number): Promise<void> {
  const id = `interrupt-${from}`;
  await client.send(interruptFrame(id));
  const answers = (frame: Frame) => frame.type === 'control_response' && JSON.stringify(frame).includes(id);
  await client.waitFor(answers, 'the answer to the interrupt', from);
}

const interruptAt =
  (delta: string): During =>
  async (client, from) => {
    await client.waitFor(isEvent('content_block_delta', delta), `a ${delta}`, from);
    await interrupt(client, from);
  };

/** Clients do not see a tool run, so pi's own record tells when it does. */
const interruptTool: During = async (client, from, prompt) => {
  await recordOf(home, prompt, (rows) =>
    linesAround(rows, prompt).lines.some((line) => line.includes('tool_execution_update')),
  );
  await interrupt(client, from);
};

interface Case {
  readonly during?: During;
  /** Texts that must be in the final messages. */
  readonly says: readonly string[];
  /** The subtype of a system frame that must come, which shows that the case is what its name says. */
  readonly system?: string;
  /** The turn ends with an error. */
  readonly fails?: boolean;
}

const cases: Record<string, Case> = {
  text: { says: ['Hello, world. This is plain text.'] },
  think: { says: ['Let me think about it.', 'The answer is 42.'] },
  tools: { says: ['I run two tools.', 'Both tools are done.'] },
  toolerr: { says: ['Trying.', 'All of them failed.'] },
  'abort-text': { during: interruptAt('text_delta'), says: ['This never ends, '], fails: true },
  'abort-think': { during: interruptAt('thinking_delta'), says: ['I think '], fails: true },
  'abort-args': { during: interruptAt('input_json_delta'), says: ['Now a tool.'], fails: true },
  'abort-tool': { during: interruptTool, says: ['Running.'], fails: true },
  overloaded: { says: ['Better late.'], system: 'api_retry' },
  'mid-error': { says: ['Half a sentence', 'Whole again.'], system: 'api_retry' },
  'bad-request': { says: [], fails: true },
  'max-tokens': { says: ['Cut off in the mid'] },
  refusal: { says: ['I must not.'], fails: true },
  empty: { says: [] },
  unicode: { says: [unicodeText] },
  long: { says: [longText] },
  compact: { says: ['Used many tokens.'], system: 'compact_boundary' },
};

const names = Object.keys(transports);
describe.each(names)('%s', (transport) => {
  // One session for all cases, as a user would have it; after a failure the next case starts with a fresh one.
  let client: Client | null = null;
  let prompts = 0;
  afterAll(() => client?.close());

  test.each(shareOf(Object.entries(cases), names.indexOf(transport), names.length))(
    '%s',
    async (name, { during, says, system = 'init', fails = false }) => {
      onTestFailed(async () => {
        const broken = client;
        client = null;
        await broken?.close();
      });
      client ??= (await transports[transport]?.()) ?? null;
      if (client === null) throw new Error(`no transport ${transport}`);
      const own = client;

      const prompt = `[[${name}]] ${transport} ${++prompts}`;
      const frames = await turn(own, prompt, (from) => during?.(own, from, prompt) ?? Promise.resolve());
      await judgeTurn(home, own, prompt, frames);
      const text = await saidIn(frames);
      for (const phrase of says) expect(text).toContain(phrase);
      expect(frames).toContainEqual(expect.objectContaining({ type: 'system', subtype: system }));
      expect(frames.at(-1)).toMatchObject({ type: 'result', is_error: fails });

      const again = `[[text]] ${transport} again ${prompts}`;
      const second = await turn(own, again);
      await judgeTurn(home, own, again, second);
      expect(second.at(-1)).toMatchObject({
        type: 'result',
        is_error: false,
        result: 'Hello, world. This is plain text.',
      });
    },
  );
});

test('an interrupt reaches the model: it is not left talking to itself', () => {
  const endless = fake.requests.filter(({ scenario }) =>
    ['abort-text', 'abort-think', 'abort-args'].includes(scenario),
  );
  expect(new Set(endless.map(({ outcome }) => outcome))).toEqual(new Set(['gone']));
});

test('an image reaches the model', async () => {
  const client = await connectWebSocket(server, await server.createSession());
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  await client.send(promptFrame('[[image]] what is it', [{ type: 'image', source }]));
  await client.waitFor((frame) => frame.type === 'result' && frame.result === 'I see image/png.', 'what the model saw');
  await client.close();
});
