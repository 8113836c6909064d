// Good conversations for the mutation score. Of agents: what our clients are told in each scenario, with the prompts of the
// client. Of clients, and of ACP: what correct clients say to the fake agents of the sets.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { hasScenarioFile, scenarioLines, scenarioNames } from '../../support/fixtures.ts';
import { heldWithFakeAgent } from './correct-clients.ts';
import type { Row, Side } from './mutators.ts';

const client = (json: object): Row => ({ by: 'client', json });
const agent = (json: unknown): Row => ({ by: 'agent', json });
const request = (id: number, method: string, params: object) => client({ jsonrpc: '2.0', id, method, params });
const answer = (id: number, result: object) => agent({ jsonrpc: '2.0', id, result });

/** How a client opens the conversation, and how it prompts before a frame that tells its words. */
interface Client {
  readonly opening: readonly Row[];
  /** What precedes the frame: a prompt and its answer; nothing where the frame begins no run. */
  prompt(frame: Dictionary, nth: number): readonly Row[];
  /** How the conversation ends; default as the frames end. */
  readonly closing?: readonly Row[];
}

const pi: Client = {
  opening: [client({ type: 'prompt', message: 'go' })],
  prompt: () => [],
};
const chat = { chatId: 'session' };

const acp: Client = {
  opening: [
    request(0, 'initialize', { protocolVersion: 1, clientCapabilities: { session: { notices: {}, compaction: {} } } }),
    answer(0, { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'agent', version: '1' } }),
    request(1, 'session/new', { cwd: '/project', mcpServers: [] }),
    answer(1, { sessionId: 'session' }),
    request(2, 'session/prompt', { sessionId: 'session', prompt: [{ type: 'text', text: 'go' }] }),
  ],
  prompt: () => [],
  closing: [answer(2, { stopReason: 'end_turn' })],
};

const rpcMessage: Client = {
  opening: [
    client({ id: 'first', method: 'connect', params: {} }),
    agent({ id: 'first', result: { sessionId: 'session', provider: 'claude', status: 'connected' }, error: null }),
  ],
  prompt: () => [],
};

/** The messages of an rpc-message agent in the envelopes of their queries, one query for each turn. */
function enveloped(told: readonly Dictionary[]): Row[] {
  let id: string | null = null;
  return told.flatMap((data, nth) => {
    const begins = id === null;
    id ??= `query-${nth}`;
    const query = begins ? [client({ id, method: 'query', params: { message: 'go' } })] : [];
    const stream = agent({ id, type: 'stream', data });
    if (data.type !== 'result') return [...query, stream];
    const complete = agent({ id, type: 'complete' });
    id = null;
    return [...query, stream, complete];
  });
}

/** By protocol. */
export const clients: ReadonlyMap<string, Client> = new Map<string, Client>([
  ['pi', pi],
  ['pi-legacy', pi],
  [
    'pi-server',
    {
      opening: [
        agent({ type: 'server_ready', data: { serverVersion: '1', protocolVersion: '1.0.0', transports: ['stdio'] } }),
        client({ id: 's', type: 'switch_session', sessionId: 'session' }),
        agent({
          ...{ type: 'response', id: 's', command: 'switch_session', success: true },
          data: { sessionInfo: { sessionId: 'session' } },
        }),
        client({ id: 'p', type: 'prompt', sessionId: 'session', message: 'go' }),
      ],
      prompt: () => [],
    },
  ],
  [
    'claude',
    {
      opening: [client({ type: 'control_request', request_id: 'first', request: { subtype: 'initialize' } })],
      prompt: ({ type, subtype }) =>
        type === 'system' && subtype === 'init'
          ? [client({ type: 'user', message: { role: 'user', content: 'go' } })]
          : [],
    },
  ],
  ['acp', acp],
  ['rpc-message', rpcMessage],
  [
    'eca',
    {
      opening: [
        request(1, 'initialize', { capabilities: { codeAssistant: { chat: true } }, workspaceFolders: [] }),
        answer(1, { chatWelcomeMessage: 'Hello' }),
        client({ jsonrpc: '2.0', method: 'initialized', params: {} }),
      ],
      prompt({ params }, nth) {
        const { role, content } = dictionaryOf(params);
        if (role !== 'user') return [];
        const message = String(dictionaryOf(content).text).trimEnd();
        const model = 'acme/patch-large';
        return [
          request(10 + nth, 'chat/prompt', { ...chat, message }),
          answer(10 + nth, { ...chat, model, status: 'prompting' }),
        ];
      },
    },
  ],
]);

/** Plain scenarios first, with one run and then with several: each place is changed where it is told first. */
const plain = ['thinking-text', 'text', 'tools-parallel', 'sub-agent', 'unicode', 'tool-error', 'approval'];

/** The conversations of agents of a protocol, plain ones first. */
function toldIn(protocol: string): readonly (readonly Row[])[] {
  const own = clients.get(protocol);
  if (own === undefined) throw new Error(`nobody prompts in ${protocol}`);
  const names = [...plain, ...scenarioNames.filter((name) => !plain.includes(name))];
  return names
    .filter((name) => hasScenarioFile(name, protocol))
    .map((name) => {
      const told = scenarioLines(name, protocol).map((line) => dictionaryOf(JSON.parse(line)));
      if (protocol === 'rpc-message') return [...own.opening, ...enveloped(told)];
      const frames = told.flatMap((frame, nth) => [...own.prompt(frame, nth), agent(frame)]);
      return [...own.opening, ...frames, ...(own.closing ?? [])];
    });
}

/** The conversations in which this side is judged. */
export async function conversationsOf(protocol: string, side: Side): Promise<readonly (readonly Row[])[]> {
  if (side === 'client') return await heldWithFakeAgent(protocol, side);
  // What our own agent tells of a scenario has none of the answers of ACP.
  return protocol === 'acp' ? [...(await heldWithFakeAgent(protocol, side)), ...toldIn(protocol)] : toldIn(protocol);
}
