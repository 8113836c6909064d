// The SDK's own browser entry as a client of a gateway, over WebSocket and over server-sent events.
import {
  type CanUseTool,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
  type SSEOptions,
  type WebSocketOptions,
} from '@anthropic-ai/claude-agent-sdk/browser';
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import { createInbox, type Frame, type Inbox } from './inbox.ts';

/** Where the SDK finds its session. */
export type Way = { readonly websocket: WebSocketOptions } | { readonly sse: SSEOptions };

/** A conversation of the SDK. */
export interface Conversation extends Pick<Inbox, 'frames' | 'waitFor'> {
  readonly query: Query;
  /** The messages behind the frames, as the SDK gave them. */
  readonly messages: readonly SDKMessage[];
  /** Sends a prompt. */
  say(text: string): void;
  /** Sends a prompt and hears the turn out: the messages from then on, up to and including the result. */
  turn(text: string): Promise<Frame[]>;
  close(): Promise<void>;
}

/** Node 20 has no WebSocket of its own; the token goes where a page can put it. */
export function stubWebSocket(token: string): void {
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(url: string) {
        super(url, [`bearer.${token}`]);
      }
    },
  );
}

/** Starts a query over that way. */
export function converse(way: Way, canUseTool?: CanUseTool): Conversation {
  const inbox = createInbox();
  const prompts = createPrompts();
  const options = { prompt: prompts.all, ...(canUseTool === undefined ? {} : { canUseTool }) };
  const messages: SDKMessage[] = [];
  const running = query({ ...options, ...way });
  const read = async () => {
    for await (const message of running) {
      messages.push(message);
      inbox.line(JSON.stringify(message));
    }
    inbox.cut('the query ended');
  };
  const reading = read().catch((thrown: unknown) => inbox.cut(String(thrown)));
  return {
    ...inbox,
    query: running,
    messages,
    say: prompts.add,
    async turn(text) {
      const from = inbox.frames.length;
      prompts.add(text);
      const result = await inbox.waitFor((frame) => frame.type === 'result', `the result of ${text}`, from);
      return inbox.frames.slice(from, inbox.frames.indexOf(result) + 1);
    },
    async close() {
      prompts.end();
      running.close();
      await reading;
    },
  };
}

/** Prompts as they are said, for as long as the conversation goes on. */
function createPrompts() {
  const waiting: string[] = [];
  let isOver = false;
  let wake = () => {};
  async function* all(): AsyncGenerator<SDKUserMessage> {
    while (!isOver) {
      const text = waiting.shift();
      if (text === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        const content = [{ type: 'text' as const, text }];
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      }
    }
  }
  return {
    all: all(),
    add(text: string) {
      waiting.push(text);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}
