// How a client of each protocol behaves in the tests that go across protocols. A frontend without a client here fails them.
import { checkClaudeOrder, describeViolations } from './judges/claude-order.ts';
import { checkLegacyLines } from './judges/pi-legacy.ts';
import { checkPiOrder } from './judges/pi-order.ts';
import { checkRpcMessages } from './judges/rpc-message.ts';

/** A client of one protocol. */
export interface ClientRole {
  /** A prompt with these words. */
  prompt(words: string): string;
  /** What stops the run that is going on. */
  interrupt(): string;
  /** Whether this frame is the last of a run. */
  isOver(frame: string): boolean;
  /** Whether this frame tells that the run was stopped, or failed. */
  isCutShort(frame: string): boolean;
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

/** By adapter id. */
export const clientRoles: ReadonlyMap<string, ClientRole> = new Map([
  ['claude', claude],
  ['rpc-message', rpcMessage],
  ['pi', pi],
  ['pi-legacy', piLegacy],
]);
