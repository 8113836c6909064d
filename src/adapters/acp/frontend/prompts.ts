// Prompts of a client: from the request to the answer, which comes last of its turn (docs/protocols/acp.md 4.27, 4.31,
// 4.48, 4.50, 7.56).

import type { Failure, Usage } from '../../../core/model/content.ts';
import { addUsage, noUsage } from '../../../core/model/content.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { OutcomeData } from '../../../core/model/outcome-data.ts';
import type { AssistantMessage, Transcript } from '../../../core/model/transcript.ts';
import type { AutoDecline } from '../../../core/session/agent/auto-decline.ts';
import { type RpcId, resultMessage, rpcCodes } from '../json-rpc.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Chat, EchoedPrompt, OpenPrompt } from './chats.ts';
import { type Actions, type ConnectionPorts, errorAnswer, noSession, rpcCodeOf } from './connection.ts';
import { decodePrompt } from './decode-prompt.ts';
import type { LeavingFrames } from './leaving-frames.ts';

/** Prompts whose words have not come back; an agent may change them, so that they never do (docs/limits.md 5.10). */
const mostEchoes = 256;

/** The prompts of one connection. */
export interface Prompts {
  prompt(id: RpcId, sessionId: string, blocks: readonly ContentBlock[]): Actions;
  /** Stops the run of a session and drops what waits behind it. Nothing happens in an idle session. */
  cancel(sessionId: string): Actions;
  /** Withdraws the request with that id, if it is a prompt; all others are answered soon. */
  cancelRequest(id: RpcId): Actions;
}

/** `chats`: by id. `leaving`: takes the answers. */
export function createPrompts(
  ports: ConnectionPorts,
  chats: ReadonlyMap<string, Chat>,
  autoDecline: AutoDecline,
  leaving: LeavingFrames,
): Prompts {
  /** A cancel that comes before the answer has left makes another answer of it (docs/protocols/acp.md 4.48). */
  function leave(chat: Chat, prompt: OpenPrompt, actions: Actions): Actions {
    for (const action of actions) {
      if (action.do !== 'send' || typeof action.frame !== 'string') continue;
      const { frame } = action;
      leaving.add(frame, () => {
        chat.prompts.delete(prompt);
        return prompt.isCancelled ? cancelledAnswer(prompt) : frame;
      });
    }
    return actions;
  }

  function finish(chat: Chat, prompt: OpenPrompt, echo: EchoedPrompt, outcome: Outcome): Actions {
    if (!outcome.ok) chat.echoes.delete(echo);
    autoDecline.answered();
    const { id, isCancelled } = prompt;
    if (!outcome.ok) {
      const { code, message } = outcome.error;
      if (isCancelled || code === 'aborted') return ports.answer(id, { stopReason: 'cancelled' });
      return errorAnswer(id, rpcCodeOf(outcome.error), message, { code });
    }
    const { outcome: end, failure } = OutcomeData.prompt.safeParse(outcome.data ?? {}).data ?? {};
    const usage = usageIn(chat.view?.transcript);
    if (isCancelled || end === 'aborted' || failure?.kind === 'aborted')
      return ports.answer(id, { stopReason: 'cancelled', ...usage });
    if (end === 'failed') return fail(id, failure);
    return ports.answer(id, { stopReason: stopReasonOf(chat.view?.transcript), ...usage });
  }

  function fail(id: RpcId, failure: Failure | undefined): Actions {
    if (failure?.kind === 'limit') return ports.answer(id, { stopReason: 'max_turn_requests' });
    const { kind = 'agent', message = 'the run failed', status } = failure ?? {};
    return errorAnswer(id, rpcCodes.internal, message, { kind, ...(status === undefined ? {} : { status }) });
  }

  return {
    prompt(id, sessionId, blocks) {
      const chat = chats.get(sessionId);
      if (chat === undefined) return ports.refuse(id, noSession(sessionId));
      const { content, contexts } = decodePrompt(blocks);
      const handle = ports.env.id('prompt');
      const prompt: OpenPrompt = { id, handle, isCancelled: false };
      chat.prompts.add(prompt);
      const echo = content.map((part) => (part.type === 'text' ? part.text : null));
      const [oldest] = chat.echoes;
      if (oldest !== undefined && chat.echoes.size >= mostEchoes) chat.echoes.delete(oldest);
      chat.echoes.add(echo);
      const asked = ports.ask(
        chat.target,
        {
          type: 'prompt',
          content,
          ...(contexts.length === 0 ? {} : { contexts }),
          whenBusy: 'queue',
          untilIdle: true,
          handle,
        },
        (outcome) => leave(chat, prompt, finish(chat, prompt, echo, outcome)),
      );
      return [...asked, ...autoDecline.prompted()];
    },
    cancel(sessionId) {
      const chat = chats.get(sessionId);
      if (chat === undefined) return [];
      for (const prompt of chat.prompts) prompt.isCancelled = true;
      return ports.ask(chat.target, { type: 'abort', target: 'run', waiting: 'drop' }, () => []);
    },
    cancelRequest(id) {
      for (const chat of chats.values()) {
        for (const prompt of chat.prompts) {
          if (prompt.id !== id) continue;
          prompt.isCancelled = true;
          return ports.ask(chat.target, { type: 'abort', target: 'run', handle: prompt.handle }, () => []);
        }
      }
      return [];
    },
  };
}

function cancelledAnswer({ id }: OpenPrompt): string {
  return JSON.stringify(resultMessage(id, { stopReason: 'cancelled' }));
}

/** The messages of the model in the last run, the newest first. */
function* lastMessages(transcript: Transcript | undefined): Generator<AssistantMessage> {
  const items = transcript?.items ?? [];
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item?.kind === 'message') yield item.message;
    else if (item?.logged.event.type === 'run-start') return;
  }
}

/** The last message of the model tells why a completed run has ended. */
function stopReasonOf(transcript: Transcript | undefined): string {
  for (const { start, stop } of lastMessages(transcript)) {
    if (start.parent !== undefined) continue;
    return stop?.reason === 'length' ? 'max_tokens' : stop?.reason === 'refusal' ? 'refusal' : 'end_turn';
  }
  return 'end_turn';
}

/** The tokens of the last run. */
function usageIn(transcript: Transcript | undefined): { usage?: object } {
  let sum: Usage | undefined;
  for (const { usage } of lastMessages(transcript)) if (usage !== undefined) sum = addUsage(sum ?? noUsage, usage);
  if (sum === undefined) return {};
  const { input, output, cacheRead, cacheWrite } = sum;
  return {
    usage: {
      inputTokens: input,
      outputTokens: output,
      cachedReadTokens: cacheRead,
      cachedWriteTokens: cacheWrite,
      totalTokens: input + output + cacheRead + cacheWrite,
    },
  };
}
