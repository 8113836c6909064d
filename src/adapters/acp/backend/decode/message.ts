// The messages of the model, from chunks and calls to blocks with deltas. ACP marks neither the start nor the end of a
// message: ids tell, if the agent has any, else the order of what comes (docs/protocols/acp.md 4.32, 4.37).
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content, Dictionary, Stop, Usage } from '../../../../core/model/content.ts';
import type { Chunk } from '../../wire/agent.ts';
import { acpExtra, contentOf } from './values.ts';

/** Which chunks a block is made of. */
export type Spoken = 'text' | 'thinking';

/** The dependencies of the messages. */
export interface MessagePorts {
  /** Called before a message begins. */
  begins(): void;
  /** The id of the model in use. */
  model(): string | undefined;
  /** The arguments of a call, which its message no longer waits for. */
  written(call: string): Dictionary;
}

/** Reads the messages of one session. */
export interface MessageDecoder {
  readonly isOpen: boolean;
  /** The open text or thought, if it has that index: the same object from its beginning to its end. */
  streaming(index: number): object | null;
  chunk(kind: Spoken, chunk: Chunk): void;
  /** Begins the block of a call. */
  beginCall(id: string, name: string): void;
  /** The arguments of a call are complete. */
  endCall(id: string, input: Dictionary): void;
  /** Whether the open message has calls whose arguments are not complete. */
  readonly isWriting: boolean;
  /** Takes the usage of the open message; false if there is none. */
  used(usage: Usage): boolean;
  /** Ends the open message, if any. */
  close(stop: Stop): void;
}

interface OpenMessage {
  /** The agent's last id, if it has told one. */
  agentId: string | undefined;
  blocks: number;
  current: { readonly index: number; readonly kind: Spoken } | null;
  /** Calls whose arguments are not complete, with the indexes of their blocks. */
  readonly calls: Map<string, number>;
  hasText: boolean;
  hasCalls: boolean;
  usage?: Usage;
}

export function createMessageDecoder(env: Env, out: Outbox, ports: MessagePorts): MessageDecoder {
  let open: OpenMessage | null = null;

  function message(agentId?: string): OpenMessage {
    if (open !== null) return open;
    ports.begins();
    open = { agentId, blocks: 0, current: null, calls: new Map(), hasText: false, hasCalls: false };
    const model = ports.model();
    out.deliver({ type: 'message-start', id: env.id('message'), ...(model === undefined ? {} : { model }) });
    return open;
  }

  function endCurrent(from: OpenMessage, isCut = false): void {
    if (from.current === null) return;
    const { index } = from.current;
    from.current = null;
    out.deliver({ type: 'block-end', index, ...(isCut ? { incomplete: true } : {}) });
  }

  function endCall(from: OpenMessage, id: string, input: Dictionary): void {
    const index = from.calls.get(id);
    if (index === undefined) return;
    from.calls.delete(id);
    // No agent streams the text of arguments (docs/protocols/acp.md 4.37).
    out.deliver({ type: 'block-delta', index, delta: JSON.stringify(input) }, { type: 'block-end', index, input });
  }

  /** Whether the chunk begins another message. */
  function isNext(from: OpenMessage, kind: Spoken, id: string | undefined): boolean {
    if (from.agentId !== undefined && id !== undefined) {
      // An id of codex covers one kind only: a thought and the text behind it are one answer of the model.
      return from.agentId !== id && (from.hasText || from.hasCalls || kind === 'thinking');
    }
    return from.hasCalls || (kind === 'thinking' && from.hasText);
  }

  function close(stop: Stop): void {
    if (open === null) return;
    const ended = open;
    open = null;
    const isCut = stop.reason === 'aborted' || stop.reason === 'error';
    endCurrent(ended, isCut);
    for (const id of [...ended.calls.keys()]) endCall(ended, id, ports.written(id));
    const own: Stop = ended.hasCalls && !isCut ? { reason: 'tool-use' } : stop;
    out.deliver({ type: 'message-end', stop: own, ...(ended.usage === undefined ? {} : { usage: ended.usage }) });
  }

  function whole(content: Content, id: string | undefined): void {
    const into = message(id);
    endCurrent(into);
    into.hasText = true;
    const index = into.blocks++;
    out.deliver({ type: 'block-start', index, block: { kind: 'whole', content } }, { type: 'block-end', index });
  }

  return {
    get isOpen() {
      return open !== null;
    },
    get isWriting() {
      return open !== null && open.calls.size > 0;
    },
    streaming: (index) => (open?.current?.index === index ? open.current : null),
    chunk(kind, { content, messageId, _meta }) {
      const id = messageId ?? undefined;
      if (open !== null && isNext(open, kind, id)) close({ reason: 'end' });
      const block = contentOf(content);
      if (block.type !== 'text') return whole(block, id);
      const into = message(id);
      into.agentId = id ?? into.agentId;
      if (into.current?.kind !== kind) {
        endCurrent(into);
        into.current = { index: into.blocks++, kind };
        if (kind === 'text') into.hasText = true;
        const extra = acpExtra({ messageId: id });
        out.deliver({ type: 'block-start', index: into.current.index, block: { kind }, ...extra });
      }
      const extra = acpExtra({ _meta: _meta ?? undefined });
      out.deliver({ type: 'block-delta', index: into.current.index, delta: block.text, ...extra });
    },
    beginCall(id, name) {
      const into = message();
      endCurrent(into);
      const index = into.blocks++;
      into.calls.set(id, index);
      into.hasCalls = true;
      out.deliver({ type: 'block-start', index, block: { kind: 'tool-call', id, name } });
    },
    endCall(id, input) {
      if (open !== null) endCall(open, id, input);
    },
    used(usage) {
      if (open !== null) open.usage = usage;
      return open !== null;
    },
    close,
  };
}
