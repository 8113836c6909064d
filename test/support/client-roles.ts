// How a client of each protocol behaves in the tests that go across protocols. A frontend without a client here fails them.
import { checkClaudeOrder, describeViolations } from './judges/claude-order.ts';
import { checkEcaOrder, describeEcaViolations, heard } from './judges/eca-order.ts';
import { checkLegacyLines } from './judges/pi-legacy.ts';
import { checkPiOrder } from './judges/pi-order.ts';
import { checkRpcMessages } from './judges/rpc-message.ts';

/** A client of one protocol. */
export interface ClientRole {
  /** A prompt with these words, of a client that has heard so much. */
  prompt(words: string, heard?: readonly string[]): string;
  /** What stops the run that is going on, of a client that has heard so much. */
  interrupt(heard: readonly string[]): string;
  /** Whether this frame is the last of a run. */
  isOver(frame: string): boolean;
  /** Whether the frame that is the last of a run, or one of the frames of that run, tells that it was stopped, or failed. */
  isCutShort(frame: string, run: readonly string[]): boolean;
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
    return describeViolations(checkClaudeOrder(own), own);
  },
};

const rpcMessage: ClientRole = {
  ...claude,
  judge: (frames) => checkRpcMessages(parsed(frames)).map(({ rule, at, says }) => `${rule} at ${at}: ${says}`),
};

const pi: ClientRole = {
  prompt: (message) => JSON.stringify({ type: 'prompt', message, id: 'prompt-1' }),
  interrupt: () => JSON.stringify({ type: 'abort', id: 'stop-1' }),
  isOver: (frame) => parsed([frame])[0]?.type === 'agent_end',
  isCutShort: (frame) => /"stopReason":"(?:aborted|error)"/u.test(frame),
  judge: (frames) => checkPiOrder(parsed(frames)).map(({ rule, at, says }) => `${rule} at ${at}: ${says}`),
};

const piLegacy: ClientRole = {
  prompt: (message) => JSON.stringify({ type: 'prompt', message }),
  interrupt: () => JSON.stringify({ type: 'abort' }),
  isOver: (frame) => parsed([frame])[0]?.type === 'agent_end',
  isCutShort: (frame) => /"stopReason":"(?:aborted|error)"/u.test(frame),
  judge: (frames) => checkLegacyLines(parsed(frames)),
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

/** A client of the seed's day: it learns from the answer to its first prompt what the chat is called. */
const eca: ClientRole = {
  prompt: (message, frames = []) =>
    request(
      'chat/prompt',
      { chatId: chatIn(frames), requestId: `r-${message}`, message, contexts: [] },
      `p-${message}`,
    ),
  interrupt: (frames) => request('chat/promptStop', { chatId: chatIn(frames) }),
  isOver: (frame) => readEca(frame).params?.content?.state === 'finished',
  // There is no word for it but what the system says of it (reference eca, section 4).
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

/** By adapter id. */
export const clientRoles: ReadonlyMap<string, ClientRole> = new Map([
  ['claude', claude],
  ['rpc-message', rpcMessage],
  ['pi', pi],
  ['pi-legacy', piLegacy],
  ['eca', eca],
]);
