// How a client of each protocol behaves in the tests that go across protocols. A frontend without a client here fails them.
import { GatewayFrame } from '../../src/adapters/canonical/wire.ts';
import { verify } from '../../src/core/log/grammar.ts';
import { Event } from '../../src/core/model/event.ts';
import { checkEcaOrder, describeEcaViolations, heard } from '../oracles/order/eca/order.ts';
import { at } from './acp-traces.ts';
import { faultsIn, judged, judgedPiServer } from './judged.ts';
import { acpSchemaFaults } from './judges/acp-schema.ts';

/** All that a client has heard, as soon as it is enough. */
export type Hear = (label: string, isEnough: (heard: readonly string[]) => boolean) => Promise<readonly string[]>;

/** A client of one protocol. */
export interface ClientRole {
  /** What it has to say before its first prompt. */
  greet?(say: (frame: string) => void, hear: Hear): Promise<void>;
  /** A prompt with these words, of a client that has heard so much. */
  prompt(words: string, heard?: readonly string[]): string;
  /** What stops the run that is going on, of a client that has heard so much. */
  interrupt(heard: readonly string[]): string;
  /** Whether this frame is the last of a run. */
  isOver(frame: string): boolean;
  /** Whether the frame that is the last of a run, or one of the frames of that run, tells that it was stopped, or failed. */
  isCutShort(frame: string, run: readonly string[]): boolean;
  /** Whether every command of the client is answered; without this function, always. A run may end before the command that stops it has its answer. */
  isAnswered?(frames: readonly string[]): boolean;
  /** What is wrong with all frames of a session whose runs are over; empty when nothing is. */
  judge(frames: readonly string[]): string[];
}

const parsed = (frames: readonly string[]): { type?: unknown; is_error?: unknown }[] =>
  frames.map((frame) => JSON.parse(frame));

const claude: ClientRole = {
  prompt: (text) => JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } }),
  interrupt: () => JSON.stringify({ type: 'control_request', request_id: 'stop-1', request: { subtype: 'interrupt' } }),
  isOver: (frame) => parsed([frame])[0]?.type === 'result',
  isCutShort: (frame) => parsed([frame])[0]?.is_error === true,
  judge(frames) {
    const own = parsed(frames);
    return faultsIn('claude', own);
  },
};

const rpcMessage: ClientRole = {
  ...claude,
  judge: (frames) => faultsIn('rpc-message', parsed(frames)),
};

const pi: ClientRole = {
  prompt: (message) => JSON.stringify({ type: 'prompt', message, id: 'prompt-1' }),
  interrupt: () => JSON.stringify({ type: 'abort', id: 'stop-1' }),
  isOver: (frame) => parsed([frame])[0]?.type === 'agent_end',
  isCutShort: (frame) => /"stopReason":"(?:aborted|error)"/u.test(frame),
  judge: (frames) => faultsIn('pi', parsed(frames)),
};

const piLegacy: ClientRole = {
  prompt: (message) => JSON.stringify({ type: 'prompt', message }),
  interrupt: () => JSON.stringify({ type: 'abort' }),
  isOver: (frame) => parsed([frame])[0]?.type === 'agent_end',
  isCutShort: (frame) => /"stopReason":"(?:aborted|error)"/u.test(frame),
  judge: (frames) => faultsIn('pi-legacy', parsed(frames)),
};

interface EcaFrame {
  readonly method?: unknown;
  readonly result?: { readonly chatId?: unknown };
  readonly params?: {
    readonly chatId?: unknown;
    readonly role?: unknown;
    readonly content?: { readonly type?: unknown; readonly state?: unknown };
  };
}

const readEca = (frame: string): EcaFrame => JSON.parse(frame);

/** The chat that was spoken of last. */
const chatIn = (frames: readonly string[]): unknown =>
  frames
    .map((frame) => readEca(frame).params?.chatId ?? readEca(frame).result?.chatId)
    .findLast((id) => id !== undefined);

const request = (method: string, params: object, id?: string): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });

/** A client of the first era: it learns from the answer to its first prompt what the chat is called. */
const eca: ClientRole = {
  prompt: (message, frames = []) =>
    request(
      'chat/prompt',
      { chatId: chatIn(frames), requestId: `r-${message}`, message, contexts: [] },
      `p-${message}`,
    ),
  interrupt: (frames) => request('chat/promptStop', { chatId: chatIn(frames) }),
  isOver: (frame) => readEca(frame).params?.content?.state === 'finished',
  // There is no word for it but what the system says of it (docs/protocols/eca.md 4.8).
  isCutShort: (_, run) =>
    run.some((frame) => {
      const { params } = readEca(frame);
      return params?.role === 'system' && params.content?.type === 'text';
    }),
  judge(frames) {
    const talk = heard(frames.map((frame): unknown => JSON.parse(frame)));
    return describeEcaViolations(checkEcaOrder(talk), talk);
  },
};

interface PiServerFrame {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly command?: unknown;
  readonly data?: { readonly sessionId?: unknown; readonly sessions?: readonly { readonly sessionId?: unknown }[] };
}

const readPiServer = (frame: string): PiServerFrame => JSON.parse(frame);

/** The session that the client was told of when it looked: the one that its connection is bound to. */
const listedSession = (frames: readonly string[]): unknown =>
  frames.map((frame) => readPiServer(frame).data?.sessions?.[0]?.sessionId).find((id) => id !== undefined);

/** … or the one that it makes. */
const piServerSession = (frames: readonly string[]): unknown => listedSession(frames) ?? 'session';

let piServerCommands = 0;
const piServerCommand = (type: string, heard: readonly string[], more: object = {}): string =>
  JSON.stringify({ id: `${type}-${++piServerCommands}`, type, sessionId: piServerSession(heard), ...more });

/** A client that looks whether there is a session, makes one if there is none, and listens to it. */
const piServer: ClientRole = {
  async greet(say, hear) {
    const isAnswer = (command: string) => (frames: readonly string[]) =>
      frames.map(readPiServer).some((frame) => frame.type === 'response' && frame.command === command);
    say(JSON.stringify({ id: 'list', type: 'list_sessions' }));
    const listed = await hear('the list of sessions', isAnswer('list_sessions'));
    if (listed.every((frame) => (readPiServer(frame).data?.sessions ?? []).length === 0)) {
      say(piServerCommand('create_session', listed));
      await hear('a session', isAnswer('create_session'));
    }
    say(piServerCommand('switch_session', listed));
    await hear('that session', isAnswer('switch_session'));
  },
  prompt: (message, heard = []) => piServerCommand('prompt', heard, { message }),
  interrupt: (heard) => piServerCommand('abort', heard),
  // Several agent_end may stand before it (docs/protocols/pi-server.md 17.12).
  isOver(frame) {
    const { type, command } = readPiServer(frame);
    return type === 'response' && command === 'prompt';
  },
  isCutShort: (_, run) => run.some((frame) => /"stopReason":"(?:aborted|error)"/u.test(frame)),
  isAnswered(frames) {
    const types = frames.map((frame) => readPiServer(frame).type);
    const count = (type: string) => types.filter((one) => one === type).length;
    return count('command_accepted') === count('command_finished');
  },
  judge(frames) {
    const heard = frames.map((frame): unknown => JSON.parse(frame));
    // Without a connection around it: only what a session says.
    const isBare = frames.every((frame) => readPiServer(frame).type === 'event');
    const bound = listedSession(frames);
    const found = isBare
      ? // Questions and notices have a form of their own (docs/protocols/pi-server.md 18.1).
        judged(
          'pi',
          heard.map((frame) => Object(frame).event).filter(({ type }) => type !== 'extension_ui_request'),
        )
      : judgedPiServer(
          heard.map((json) => ({ by: 'agent', json })),
          typeof bound === 'string' ? { bound } : {},
        );
    return found.map(({ rule, at, says }) => `${rule} at ${at}: ${says}`);
  },
};

interface CanonicalFrame {
  readonly session?: unknown;
  readonly id?: unknown;
  readonly seq?: unknown;
  readonly replay?: unknown;
  readonly snapshot?: unknown;
  readonly event?: { readonly type?: unknown; readonly outcome?: unknown };
  readonly outcome?: {
    readonly ok?: unknown;
    readonly data?: { readonly sessions?: readonly { readonly id?: unknown }[] };
  };
  readonly error?: unknown;
}

const readCanonical = (frame: string): CanonicalFrame => JSON.parse(frame);

/** The session that was there when the client looked, or the one that it makes. */
const canonicalSession = (frames: readonly string[]): unknown =>
  frames.map((frame) => readCanonical(frame).outcome?.data?.sessions?.[0]?.id).find((id) => id !== undefined) ??
  'session';

let canonicalCommands = 0;
const canonicalCommand = (command: object, session?: unknown, id = `c${++canonicalCommands}`): string =>
  JSON.stringify({ id, ...(session === undefined ? {} : { session }), command });

/** What is wrong: frames that the schema refuses; and behind each snapshot, places with gaps and an order that the grammar refuses. */
function checkCanonical(frames: readonly CanonicalFrame[]): string[] {
  const wrong = frames.filter((frame) => !GatewayFrame.safeParse(frame).success).map((frame) => JSON.stringify(frame));
  const starts = frames.flatMap(({ snapshot }, at) => (snapshot === undefined ? [] : [at]));
  const parts = starts.map((start, nth) =>
    frames.slice(start, starts[nth + 1]).filter(({ event }) => event !== undefined),
  );
  const early = frames.slice(0, starts[0] ?? frames.length).filter(({ event }) => event !== undefined);
  const gaps = parts.flatMap((part) => {
    const live = part.flatMap(({ seq, replay }) => (replay === undefined ? [Number(seq)] : []));
    return live.filter((seq, at) => at > 0 && seq !== (live[at - 1] ?? 0) + 1).map((seq) => `a gap before seq ${seq}`);
  });
  const faults = parts.flatMap((part) => verify(part.map(({ event }) => Event.parse(event))).faults);
  return [
    ...wrong,
    ...early.map(() => 'an event before the snapshot'),
    ...gaps,
    ...faults.map((fault) => JSON.stringify(fault)),
  ];
}

/** A client of the model itself: it looks whether there is a session, makes one if there is none, and attaches to it. */
const canonical: ClientRole = {
  async greet(say, hear) {
    const isAnswered = (id: string) => (frames: readonly string[]) =>
      frames.some((frame) => readCanonical(frame).id === id);
    say(canonicalCommand({ type: 'list-sessions' }, undefined, 'list'));
    const listed = await hear('the list of sessions', isAnswered('list'));
    const session = canonicalSession(listed);
    if (session !== 'session') return;
    say(canonicalCommand({ type: 'create-session', id: session }, undefined, 'create'));
    await hear('a session', isAnswered('create'));
    say(JSON.stringify({ attach: session }));
  },
  prompt: (text, heard = []) =>
    canonicalCommand(
      { type: 'prompt', content: [{ type: 'text', text }] },
      heard.length === 0 ? undefined : canonicalSession(heard),
    ),
  interrupt: (heard) => canonicalCommand({ type: 'abort', target: 'run' }, canonicalSession(heard)),
  isOver: (frame) => readCanonical(frame).event?.type === 'run-end',
  isCutShort: (frame) => readCanonical(frame).event?.outcome !== 'completed',
  judge: (frames) => checkCanonical(frames.map(readCanonical)),
};

/** The session that was spoken of last, or the one of a connection that has but one. */
const acpSession = (frames: readonly string[]): unknown =>
  frames
    .map((frame): unknown => JSON.parse(frame))
    .map((frame) => at(frame, 'result', 'sessionId') ?? at(frame, 'params', 'sessionId'))
    .findLast((id) => id !== undefined) ?? 'session';

let acpPrompts = 0;

/** An editor that says hello, opens a session, and asks its user nothing. */
const acp: ClientRole = {
  async greet(say, hear) {
    const isAnswered = (id: string) => (frames: readonly string[]) =>
      frames.some((frame) => at(JSON.parse(frame), 'id') === id);
    say(request('initialize', { protocolVersion: 1, clientCapabilities: {} }, 'hello'));
    await hear('the answer to initialize', isAnswered('hello'));
    say(request('session/new', { cwd: process.cwd(), mcpServers: [] }, 'open'));
    await hear('a session', isAnswered('open'));
  },
  prompt(text, heard = []) {
    acpPrompts += 1;
    const params = { sessionId: acpSession(heard), prompt: [{ type: 'text', text }] };
    return request('session/prompt', params, `prompt-${acpPrompts}`);
  },
  interrupt: (heard) => request('session/cancel', { sessionId: acpSession(heard) }),
  isOver: (frame) => /^prompt-/u.test(String(at(JSON.parse(frame), 'id'))),
  isCutShort(frame) {
    const answer: unknown = JSON.parse(frame);
    return at(answer, 'error') !== undefined || at(answer, 'result', 'stopReason') === 'cancelled';
  },
  judge: (frames) => acpSchemaFaults(frames.map((line) => ({ dir: 'out', line, json: JSON.parse(line) }))),
};

/** By adapter id. */
export const clientRoles: ReadonlyMap<string, ClientRole> = new Map([
  ['claude', claude],
  ['rpc-message', rpcMessage],
  ['pi', pi],
  ['pi-legacy', piLegacy],
  ['eca', eca],
  ['pi-server', piServer],
  ['canonical', canonical],
  ['acp', acp],
]);
