// Decodes the messages of the model, one at a time on each lane: from contents of role assistant to blocks with deltas
// (docs/protocols/eca.md 8.3). ECA marks neither the start nor the end of a message: its first content starts a
// message, and the next foreign content ends the message.
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content, Dictionary, Stop, Usage } from '../../../../core/model/content.ts';
import { dictionaryIn, without } from '../../../../core/model/dictionary.ts';
import type { ContentOf } from '../../wire/server.ts';
import { ecaExtra } from './values.ts';

/** Undefined is the main thread. Other lanes are named by the call of their sub-agent. */
export type Lane = string | undefined;

/** The dependencies of the messages. */
export interface MessagePorts {
  /** Called before a message begins. */
  begins(lane: Lane): void;
  /** The id of the model in use. */
  model(): string | undefined;
  /** See {@link ArgumentTexts}. */
  readonly argumentTexts: ArgumentTexts;
}

/**
 * How the argument texts of calls follow each other: as pieces, or each with the whole text so far
 * (docs/protocols/eca.md 1.2, 1.3).
 */
export interface ArgumentTexts {
  /** Returns the new part of `text`. `before`: the argument text so far. */
  added(before: string, text: string): string;
}

/** Reads the messages of one chat and its sub-agents. */
export interface MessageDecoder {
  isOpen(lane: Lane): boolean;
  /** The open text or thought of the main thread, if it has that index: the same object from its beginning to its end. */
  streaming(index: number): object | null;
  text(lane: Lane, text: string): void;
  reasonStarted(lane: Lane, content: ContentOf<'reason'>): void;
  reasonText(lane: Lane, id: string, text: string): void;
  reasonFinished(lane: Lane, content: ContentOf<'reason'>): void;
  /** Reads a content that arrives whole. */
  whole(lane: Lane, content: Content): void;
  /** Returns whether the call is new to this message. */
  prepare(lane: Lane, content: ContentOf<'toolCallPrepare'>): boolean;
  /**
   * The arguments of the call are complete, or cut off if `input` is null. Begins the block if no `toolCallPrepare`
   * did. Returns whether the call was new.
   */
  written(lane: Lane, id: string, name: string, input: Dictionary | null, isKnown: boolean): boolean;
  /**
   * Takes the usage of the open message of the main thread. The usage was already delivered, and is repeated in the end
   * of the message.
   */
  used(usage: Usage): void;
  /** Ends the open message of this lane, if any. */
  close(lane: Lane, stop: Stop): void;
  /** Ends all messages, those of sub-agents first. */
  closeAll(stop: Stop): void;
}

interface CallBlock {
  readonly index: number;
  /** The arguments as they streamed. */
  text: string;
  /** The last text: the whole arguments, from servers that repeat them. */
  last: string;
}

interface OpenMessage {
  blocks: number;
  /** A text or a thought. Only one is open at a time. */
  current: { readonly index: number; readonly reason: string | null } | null;
  readonly calls: Map<string, CallBlock>;
  hasCalls: boolean;
  /** A call of the message was cut off while its arguments streamed. */
  isCut: boolean;
  usage?: Usage;
}

export function createMessageDecoder(env: Env, out: Outbox, ports: MessagePorts): MessageDecoder {
  const open = new Map<Lane, OpenMessage>();

  function message(lane: Lane): OpenMessage {
    const known = open.get(lane);
    if (known !== undefined) return known;
    ports.begins(lane);
    const begun: OpenMessage = { blocks: 0, current: null, calls: new Map(), hasCalls: false, isCut: false };
    open.set(lane, begun);
    const model = ports.model();
    const named = lane === undefined && model !== undefined ? { model } : {};
    out.deliver({ type: 'message-start', parent: lane, id: env.id('message'), ...named });
    return begun;
  }

  function endCurrent(lane: Lane, from: OpenMessage, isCut: boolean, fields: Dictionary = {}): void {
    const { current } = from;
    if (current === null) return;
    from.current = null;
    const { index } = current;
    out.deliver({
      type: 'block-end',
      parent: lane,
      index,
      ...(isCut ? { incomplete: true } : {}),
      ...ecaExtra(fields),
    });
  }

  function endCall(lane: Lane, from: OpenMessage, id: string, input: Dictionary | null): void {
    const call = from.calls.get(id);
    if (call === undefined) return;
    from.calls.delete(id);
    const { index } = call;
    if (input === null) from.isCut = true;
    out.deliver({ type: 'block-end', parent: lane, index, ...(input === null ? { incomplete: true } : { input }) });
  }

  /** Ends the open calls whose arguments are complete. Only streamed text is known of a call that does not run yet. */
  function endWritten(lane: Lane, from: OpenMessage): void {
    for (const [id, call] of from.calls) {
      const input = argumentsIn(call);
      if (input !== null) endCall(lane, from, id, input);
    }
  }

  function begin(lane: Lane, reason: string | null, fields: Dictionary = {}): OpenMessage {
    const into = message(lane);
    endCurrent(lane, into, false);
    endWritten(lane, into);
    const index = into.blocks++;
    into.current = { index, reason };
    const kind = reason === null ? 'text' : 'thinking';
    out.deliver({ type: 'block-start', parent: lane, index, block: { kind }, ...ecaExtra(fields) });
    return into;
  }

  /** The index of the open block that the content continues. Begins a block if there is none. */
  function going(lane: Lane, reason: string | null): number {
    const { current } = open.get(lane) ?? {};
    if (current && current.reason === reason) return current.index;
    return begin(lane, reason).current?.index ?? 0;
  }

  function delta(lane: Lane, index: number, text: string): void {
    if (text !== '') out.deliver({ type: 'block-delta', parent: lane, index, delta: text });
  }

  function beginCall(lane: Lane, id: string, name: string, fields: Dictionary): CallBlock {
    const into = message(lane);
    endCurrent(lane, into, false);
    endWritten(lane, into);
    const call: CallBlock = { index: into.blocks++, text: '', last: '' };
    into.calls.set(id, call);
    into.hasCalls = true;
    const block = { kind: 'tool-call', id, name } as const;
    out.deliver({ type: 'block-start', parent: lane, index: call.index, block, ...ecaExtra(fields) });
    return call;
  }

  function close(lane: Lane, stop: Stop): void {
    const ended = open.get(lane);
    if (ended === undefined) return;
    open.delete(lane);
    const isCut = stop.reason === 'aborted' || stop.reason === 'error';
    endCurrent(lane, ended, isCut);
    for (const [id, call] of ended.calls) endCall(lane, ended, id, argumentsIn(call));
    const ownStop: Stop = ended.hasCalls && !isCut ? { reason: 'tool-use' } : stop;
    const finalStop: Stop = ended.isCut && !isCut ? { reason: 'aborted' } : ownStop;
    const figures = ended.usage === undefined ? {} : { usage: ended.usage, ...ecaExtra({ usage: 'told' }) };
    out.deliver({ type: 'message-end', parent: lane, stop: finalStop, ...figures });
  }

  return {
    isOpen: (lane) => open.has(lane),
    streaming(index) {
      const { current = null } = open.get(undefined) ?? {};
      return current?.index === index ? current : null;
    },
    text(lane, text) {
      if (text !== '') delta(lane, going(lane, null), text);
    },
    reasonStarted(lane, { type: _, id, text, ...fields }) {
      begin(lane, id, fields);
      if (typeof text === 'string') delta(lane, going(lane, id), text);
    },
    reasonText: (lane, id, text) => delta(lane, going(lane, id), text),
    reasonFinished(lane, { type: _, id, text: __, ...fields }) {
      const ended = open.get(lane);
      if (ended?.current?.reason === id) endCurrent(lane, ended, false, fields);
    },
    whole(lane, content) {
      const into = message(lane);
      endCurrent(lane, into, false);
      endWritten(lane, into);
      const index = into.blocks++;
      out.deliver({ type: 'block-start', parent: lane, index, block: { kind: 'whole', content } });
      out.deliver({ type: 'block-end', parent: lane, index });
    },
    prepare(lane, content) {
      const { id, name, argumentsText } = content;
      const known = open.get(lane)?.calls.get(id);
      const call = known ?? beginCall(lane, id, name, without(content, 'type', 'id', 'name', 'argumentsText'));
      const text = argumentsText ?? '';
      const added = ports.argumentTexts.added(call.text, text);
      call.text += added;
      call.last = text;
      delta(lane, call.index, added);
      return known === undefined;
    },
    written(lane, id, name, input, isKnown) {
      const into = open.get(lane);
      const call = into?.calls.get(id);
      if (into !== undefined && call !== undefined) {
        endCall(lane, into, id, input ?? argumentsIn(call));
        return false;
      }
      if (isKnown) return false;
      const made = beginCall(lane, id, name, {});
      delta(lane, made.index, JSON.stringify(input ?? {}));
      const from = open.get(lane);
      if (from !== undefined) endCall(lane, from, id, input ?? {});
      return true;
    },
    used(usage) {
      const message = open.get(undefined);
      if (message !== undefined) message.usage = usage;
    },
    close,
    closeAll(stop) {
      for (const lane of [...open.keys()].reverse()) if (lane !== undefined) close(lane, stop);
      close(undefined, stop);
    },
  };
}

/** The arguments of a call as far as they came: all texts joined, or else the last text alone. */
function argumentsIn({ text, last }: CallBlock): Dictionary | null {
  return dictionaryIn(text) ?? dictionaryIn(last);
}

/** `isFirstEra`: the server may repeat the whole text so far in each text. No server from 0.29 on does. */
export function createArgumentTexts(isSeed: () => boolean): ArgumentTexts {
  /** The server has sent a text that is no repetition. */
  let appends = false;
  return {
    added(before, text) {
      if (before === '' || appends || !isSeed()) return text;
      if (text.startsWith(before)) return text.slice(before.length);
      appends = true;
      return text;
    },
  };
}
