// Writes the streaming message of the model: its updates in each dialect, and the whole message (docs/protocols/pi.md
// 1.6, 7, 8.3).
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { joined, splicedJson } from '../../../core/fast-path/spliced-json.ts';
import { createMould, type FrameMould } from '../../../core/fast-path/stretch-writer.ts';
import { wholeBlock } from '../../../core/log/messages.ts';
import type { Burst } from '../../../core/model/burst.ts';
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { isDictionary, without } from '../../../core/model/dictionary.ts';
import type { EventOf, Logged } from '../../../core/model/event.ts';
import type { AssistantMessage, Block } from '../../../core/model/transcript.ts';
import { encodeContent, isUnsaid, piFields, present } from '../encode-values.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { type AssistantFacts, type Defaults, encodeAssistant } from '../frontend/encode-message.ts';
import { createSnapshot, type Snapshot } from './snapshot.ts';

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;

/** Writes one message. */
export interface MessageTeller {
  /** The message of `message_start`. */
  readonly head: Dictionary;
  /**
   * The line of an update, if there is one. `quiet`: update the state only, because the client did not see the event
   * live.
   */
  block(event: BlockEvent, quiet: boolean): Out | null;
  /** The lines of deltas like those of a burst; null when each must be told by itself. */
  mould(burst: Burst): FrameMould | null;
  /** The message of `message_end`. */
  end(event: EventOf<'message-end'>): Dictionary;
  /** Blocks that pi cannot express. */
  readonly lost: readonly string[];
}

/** The first half of an update's type. */
const kinds = { text: 'text', thinking: 'thinking', 'tool-call': 'toolcall' } as const;

interface ShownBlock {
  readonly block: Block;
  readonly place: number;
  /** Null for a block that comes whole: pi has no updates for such a block. */
  readonly kind: (typeof kinds)[keyof typeof kinds] | null;
  /** The line of a delta up to the delta itself, built on demand, and the figures in that line. */
  head: string | null;
  figures: unknown;
  /** The same for bursts. */
  mould: FrameMould | null;
}

/** Begins the message that the transcript has just opened. */
export function createMessageTeller(
  session: SessionView,
  logged: Logged & { readonly event: EventOf<'message-start'> },
  dialect: Dialect,
): MessageTeller {
  const { event: start } = logged;
  const source: AssistantMessage | undefined = session.transcript.open.get('');
  const speaksPi = isDictionary(start.extra?.pi);
  const { model } = session.transcript.info;
  const defaults: Defaults = {
    timestamp: start.timestamp ?? Math.round(session.timeOrigin + logged.at),
    provider: start.provider ?? model?.provider,
    model: start.model ?? model?.id,
  };
  // An agent of another protocol has its own id for the message.
  const startFields = speaksPi ? without(piFields(start.extra), 'content') : { responseId: start.id };
  const head = encodeHead();
  const shownBlocks = new Map<number, ShownBlock>();
  const lost: string[] = [];
  const snapshot: Snapshot | null = dialect === 'delta-only' ? null : createSnapshot({ role: 'assistant' });
  snapshot?.tail(without(head, 'role', 'content'));
  /** The figures of the last update, if they differ from the figures of the start. */
  let figures: unknown;
  let usage = JSON.stringify(head.usage);

  function encodeHead(): Dictionary {
    // `pending` since 0.84, `stop` before. pi's own word passes, except to 0.13 clients, which have a closed list.
    const waiting = dialect === 'delta-only' ? 'pending' : 'stop';
    const agentReason = startFields.stopReason;
    const stopReason =
      agentReason === undefined || (agentReason === 'pending' && dialect === 'legacy') ? waiting : agentReason;
    const { content } = piFields(start.extra);
    const facts: AssistantFacts = { ...start, extra: { pi: { ...startFields, stopReason } } };
    return encodeAssistant(Array.isArray(content) ? content : [], facts, defaults);
  }

  /** pi sends the figures so far with each update since 0.84.2. */
  function learnUsage(event: { readonly extra?: Extra | undefined }): void {
    const now = event.extra === undefined ? undefined : piFields(event.extra).usage;
    if (now === figures) return;
    figures = now;
    usage = JSON.stringify(now ?? head.usage);
    snapshot?.tail({ ...without(head, 'role', 'content'), usage: now ?? head.usage });
  }

  /** `extra` holds the fields of a newer pi, of the line and of its event. */
  function update(event: Dictionary, extra: Extra | undefined): Out {
    const fields = piFields(extra);
    const line = isDictionary(fields.line) ? `${JSON.stringify(fields.line).slice(1, -1)},` : '';
    const shown = isDictionary(fields.event) ? { ...event, ...fields.event } : event;
    const opening = `{"type":"message_update",${line}`;
    if (snapshot === null)
      return joined(`${opening}"usage":${usage},"assistantMessageEvent":`, splicedJson(shown), '}');
    return withSnapshots(`${opening}"assistantMessageEvent":${JSON.stringify(shown).slice(0, -1)}`);
  }

  /** `opening` ends inside the event. The message follows twice, as in pi. */
  function withSnapshots(opening: string): Out {
    const pieces = snapshot?.pieces() ?? [];
    return [`${opening},"partial":`, ...pieces, '},"message":', ...pieces, '}'];
  }

  function begin(event: EventOf<'block-start'>): Out | null {
    const block = source?.blocks.at(-1);
    if (block === undefined) return null;
    const { head: shape } = block;
    const kind = shape.kind === 'whole' ? null : kinds[shape.kind];
    if (kind === null && shape.kind === 'whole' && encodeContent(shape.content) === null) {
      lost.push(shape.content.type === 'opaque' ? shape.content.name : shape.content.type);
      return null;
    }
    // Agents of other protocols may also number blocks that are not shown.
    const place = speaksPi ? event.index : shownBlocks.size;
    shownBlocks.set(event.index, { block, place, kind, head: null, figures: undefined, mould: null });
    if (kind === null) return null;
    snapshot?.start(place, openBlock(shape));
    const named = shape.kind === 'tool-call' && dialect === 'delta-only' ? { id: shape.id, toolName: shape.name } : {};
    return update({ type: `${kind}_start`, contentIndex: place, ...named }, event.extra);
  }

  /** Fast path: for every delta of a block, everything except the delta is the same. */
  function extend(event: EventOf<'block-delta'>): Out | null {
    const one = shownBlocks.get(event.index);
    if (one === undefined || one.kind === null) return null;
    snapshot?.append(one.place, event.delta);
    if (isUnusual(event.extra)) {
      return update({ type: `${one.kind}_delta`, contentIndex: one.place, delta: event.delta }, event.extra);
    }
    const delta = JSON.stringify(event.delta);
    if (snapshot === null) return `${headOf(one)}${delta}}}`;
    one.head ??= deltaHead(one);
    return withSnapshots(`${one.head}${delta}`);
  }

  function headOf(one: ShownBlock): string {
    if (one.head !== null && one.figures === figures) return one.head;
    one.head = deltaHead(one);
    one.figures = figures;
    one.mould = null;
    return one.head;
  }

  function mouldOf(one: ShownBlock): FrameMould | null {
    const head = headOf(one);
    one.mould ??= createMould({ head: `${head}"`, middle: '"}}', tail: '', first: 'none' });
    return one.mould;
  }

  function deltaHead({ kind, place }: ShownBlock): string {
    const event = `"assistantMessageEvent":{"type":"${kind}_delta","contentIndex":${place},"delta":`;
    return snapshot === null
      ? `{"type":"message_update","usage":${usage},${event}`
      : `{"type":"message_update",${event}`;
  }

  function close(event: EventOf<'block-end'>): Out | null {
    const one = shownBlocks.get(event.index);
    if (one === undefined) return null;
    const { kind, place, block } = one;
    const content = encodeContent(wholeBlock(block));
    if (content === null) return null;
    snapshot?.end(place, content);
    // pi prints no end of a cut block (docs/protocols/pi.md 7.9).
    if (kind === null || event.incomplete === true) return null;
    const ending = kind === 'toolcall' ? { toolCall: content } : { content: block.text };
    return update({ type: `${kind}_end`, contentIndex: place, ...ending }, event.extra);
  }

  /** The whole blocks, with facts that only the end of the message reports (decode-message.ts). */
  function wholeBlocks(late: unknown, count: unknown): Dictionary[] {
    const facts = new Map(
      (Array.isArray(late) ? late.filter(isDictionary) : []).map(({ index, ...rest }) => [index, rest]),
    );
    const blocks = [...shownBlocks.values()].sort((a, b) => a.place - b.place);
    const contents = blocks.flatMap(({ block, place }) => {
      const content = encodeContent(wholeBlock(block));
      return content === null ? [] : [{ ...content, ...facts.get(place) }];
    });
    return typeof count === 'number' ? contents.slice(0, count) : contents;
  }

  return {
    head,
    lost,
    block(event, quiet) {
      learnUsage(event);
      const line =
        event.type === 'block-delta' ? extend(event) : event.type === 'block-start' ? begin(event) : close(event);
      return quiet || isUnsaid(event) ? null : line;
    },
    mould(burst) {
      const one = shownBlocks.get(burst.index);
      const isPlain = one !== undefined && one.kind !== null && !isUnusual(burst.extra) && !isUnsaid(burst);
      if (snapshot !== null || !isPlain) return null;
      learnUsage(burst);
      return mouldOf(one);
    },
    end(event) {
      const fields = piFields(event.extra);
      // A message that the gateway had to end keeps the fields of its start.
      const kept = isDictionary(event.extra?.pi) ? fields : without(startFields, 'stopReason', 'usage');
      const { provider, model, timestamp, ...rest } = kept;
      const facts: AssistantFacts = {
        usage: event.usage ?? start.usage,
        cost: event.cost,
        stop: speaksPi ? event.stop : { reason: event.stop.reason },
        failure: event.failure,
        extra: { pi: rest },
      };
      const message = encodeAssistant(wholeBlocks(fields.content, fields.blocks), facts, defaults);
      return { ...message, ...present({ provider, model, timestamp }) };
    },
  };
}

/** Whether a line has fields other than the figures beside its update. */
function isUnusual(extra: Extra | undefined): boolean {
  const fields = extra === undefined ? undefined : piFields(extra);
  return fields !== undefined && (isDictionary(fields.line) || isDictionary(fields.event));
}

function openBlock(head: Block['head']): Dictionary {
  switch (head.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', thinkingSignature: '' };
    case 'tool-call':
      return { type: 'toolCall', id: head.id, name: head.name, arguments: {} };
    case 'whole':
      return {};
    default:
      return head satisfies never;
  }
}

/** An assistant message that the gateway generates because its agent sent none. */
export function encodeFailedMessage(
  session: SessionView,
  logged: Logged,
  facts: Pick<AssistantFacts, 'stop' | 'failure' | 'provider' | 'model'>,
): Dictionary {
  const { model } = session.transcript.info;
  const timestamp = Math.round(session.timeOrigin + logged.at);
  return encodeAssistant([], facts, { timestamp, provider: model?.provider, model: model?.id });
}
