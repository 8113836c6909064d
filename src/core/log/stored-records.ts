// What is kept of a session, as zod schemas: the records of its log, and its whole state (decision 0026). Apart from the
// functions that write it, because a start without a store should not build these schemas.
import { z } from 'zod';
import { Content, Extra, Usage } from '../model/content.ts';
import { BlockHead, Event, type EventOf, type EventType } from '../model/event.ts';
import { SessionInfo } from '../model/session-info.ts';
import type { ToolRun } from '../model/transcript.ts';

/** The event as it was written: parsing would drop a key like `__proto__`, and the data must stay unchanged. */
const event = z.custom<Event>((value) => Event.safeParse(value).success, 'no event of this version');
const eventOf = <Type extends EventType>(type: Type) =>
  z.custom<EventOf<Type>>((value) => Event.safeParse(value).data?.type === type, `no ${type} of this version`);

/** A message of a transcript. Written out, for the published types would repeat the whole schema at each place otherwise. */
export interface StoredMessage {
  start: EventOf<'message-start'>;
  seq: number;
  startedAt: number;
  blocks: { index: number; head: BlockHead; text: string; end?: EventOf<'block-end'> | undefined }[];
  endedAt?: number | undefined;
  end?: EventOf<'message-end'> | undefined;
}

const Block = z.object({ index: z.number(), head: BlockHead, text: z.string(), end: eventOf('block-end').optional() });

const Message: z.ZodType<StoredMessage> = z.object({
  start: eventOf('message-start'),
  seq: z.number(),
  startedAt: z.number(),
  blocks: z.array(Block),
  endedAt: z.number().optional(),
  end: eventOf('message-end').optional(),
});

const Item = z.union([z.object({ message: Message }), z.object({ seq: z.number(), at: z.number(), event })]);

/** The place of a thing in the list of items, or the thing itself if the list has it no more. */
const heldIn = <Value extends z.ZodType>(value: Value) => z.union([z.number(), value]);

const Tool = z.object({
  call: z.string(),
  name: z.string(),
  parent: z.string().optional(),
  input: z.custom<ToolRun['input']>((value) => typeof value === 'object' && value !== null),
  state: z.enum(['announced', 'running', 'done']),
  progress: z.array(Content),
});

/** A transcript as JSON. */
export const StoredTranscript = z.object({
  items: z.array(Item),
  run: z.object({ number: z.number(), startedAt: z.number() }).nullable(),
  runs: z.number(),
  turn: z.boolean(),
  open: z.array(heldIn(Message)),
  tools: z.array(Tool),
  approvals: z.array(heldIn(eventOf('approval-request'))),
  dialogs: z.array(eventOf('dialog-request')),
  compaction: heldIn(eventOf('compaction-start')).nullable(),
  retry: eventOf('retry-start').nullable(),
  queue: z.object({ steering: z.array(z.string()), followUp: z.array(z.string()) }),
  info: SessionInfo,
  servers: z.array(eventOf('tool-server-changed')),
  displays: z.array(eventOf('display')),
  plan: eventOf('plan-changed').nullable(),
  agent: z.enum(['up', 'down']),
  usage: Usage,
  cost: z.number(),
  lastSeq: z.number(),
  lastAt: z.number(),
});
export type StoredTranscript = z.infer<typeof StoredTranscript>;

/** A frame that was posted to a stream under an id. */
export const Posted = z.object({ key: z.string(), id: z.string(), digest: z.string().optional() });
export type Posted = z.infer<typeof Posted>;

/**
 * A prompt that the conversation does not show yet. `prompt`: the number of the prompt in this session. `isBegun`: it was
 * answered, and its run or the run that it joined shows it.
 */
export const OpenPrompt = z.object({ prompt: z.number(), content: z.array(Content), isBegun: z.boolean() });
export type OpenPrompt = z.infer<typeof OpenPrompt>;

/** A record of a ledger about a command of this session. The ledger reads it (core/ledger/ledger-records.ts). */
export const KeptTicket = z.object({ ledger: z.string(), record: z.unknown() });
export type KeptTicket = z.infer<typeof KeptTicket>;

/** The whole state of a session. */
export const SessionState = z.object({
  transcript: StoredTranscript,
  /** See ContextFigures. */
  context: z.object({ tokens: z.number().nullable(), window: z.number().nullable() }),
  /** Oldest first. */
  posted: z.array(Posted),
  /** Oldest first. Absent in the first version of the records. */
  prompts: z.array(OpenPrompt).default([]),
  /** Oldest first. Absent in the first version of the records. */
  tickets: z.array(KeptTicket).default([]),
  version: z.number().default(0),
  /** In place of the version until 2026-11-28: what each ledger had counted. */
  versions: z.record(z.string(), z.number()).optional(),
});
export type SessionState = z.infer<typeof SessionState>;

const logged = { seq: z.number(), at: z.number() };

/** One record of a session's log, without its place. */
export const SessionRecord = z.discriminatedUnion('kind', [
  /** The state that the session begins with: a history that was there before. */
  z.object({ kind: z.literal('state'), state: SessionState }),
  z.object({ kind: z.literal('event'), ...logged, event }),
  /** Consecutive deltas, the first with that `seq`. `ends`: where each ends in `text`, characters. */
  z.object({
    kind: z.literal('burst'),
    ...logged,
    index: z.number(),
    extra: Extra.optional(),
    text: z.string(),
    ends: z.array(z.number()),
  }),
  /**
   * A stream begins behind the events so far, and behind so many frames of the last of them. `source`: the words by
   * which the dialect is found again.
   */
  z.object({ kind: z.literal('stream'), key: z.string(), sub: z.number(), source: z.unknown() }),
  z.object({ kind: z.literal('stream-end'), key: z.string() }),
  /** Another process goes on with the session, behind this `seq`. */
  z.object({ kind: z.literal('restart'), seq: z.number() }),
  Posted.extend({ kind: z.literal('posted') }),
  /** A client has given a prompt. */
  OpenPrompt.omit({ isBegun: true }).extend({ kind: z.literal('prompt') }),
  /** The prompt was answered. `isOver`: nothing of it is to come any more. */
  z.object({ kind: z.literal('prompt-answered'), prompt: z.number(), isOver: z.boolean() }),
  KeptTicket.extend({ kind: z.literal('ticket') }),
  z.object({ kind: z.literal('version'), version: z.number() }),
]);
export type SessionRecord = z.infer<typeof SessionRecord>;
