// One hand-made frame for each kind that a client sends and each kind that we send: what is right is taken, what is
// wrong is refused by name; no kind is without a fixture, and no fixture without its kind.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ClientFrame } from '../../../src/adapters/claude/wire/client.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import {
  AssistantFrame,
  deltaKinds,
  headProblem,
  InitFrame,
  problemOf,
  ResultFrame,
  StreamFrame,
  strictEvents,
  UserFrame,
  WithParent,
} from '../../support/claude-shapes.ts';
import { fixturesFolder, scenarioLines, scenarioNames } from '../../support/fixtures.ts';
import { tell } from '../../support/telling.ts';
import { connect, type Sent, sideOf, told } from './harness.ts';
import { kindOf } from './kinds.ts';

const folder = path.join(fixturesFolder, 'wire/claude');
const filesIn = (kind: 'valid' | 'invalid', side: 'client' | 'agent') =>
  readdirSync(path.join(folder, kind))
    .filter((file) => file.startsWith(`${side}.`))
    .sort();
const read = (kind: 'valid' | 'invalid', file: string) =>
  JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8'));

/** A question is open that the fixtures answer. */
const asking: Event[] = [
  { type: 'run-start' },
  { type: 'approval-request', id: 'approval-1', name: 'swap', input: {} },
];

describe('what a client sends', () => {
  test.each(filesIn('valid', 'client'))('%s is taken', (file) => {
    const frame = read('valid', file);
    expect(file.startsWith(`client.${frame.type}`)).toBe(true);
    expect(connect().say(frame).notes).toEqual([]);
  });

  test.each(filesIn('invalid', 'client'))('%s is refused by name, and the connection goes on', (file) => {
    const { problem, frame } = read('invalid', file);
    const client = connect({ events: asking });
    const { delivered, sent, notes } = client.say(frame);
    expect(delivered).toEqual([]);
    const [said] = sent.map(complaintIn);
    expect(said).toContain(problem);
    expect(sent).toHaveLength(1);
    expect(notes).toEqual([`violation: ${said}`]);
    expect(client.say(read('valid', 'client.user.string.json')).delivered).toHaveLength(1);
  });

  test('each kind has a fixture of both sorts', () => {
    const kinds = ClientFrame.options.flatMap((option) => [...literalsOf(option.shape.type)]);
    const silent = new Set(['keep_alive', 'control_cancel_request', 'auth', 'update_environment_variables']);
    for (const kind of kinds) {
      const has = (sort: 'valid' | 'invalid') =>
        filesIn(sort, 'client').some((file) => file.startsWith(`client.${kind}.`));
      expect({ kind, valid: has('valid'), invalid: has('invalid') || silent.has(kind) }).toEqual({
        kind,
        valid: true,
        invalid: true,
      });
    }
  });
});

const Refused = z.looseObject({ response: z.looseObject({ error: z.string() }) });

/** Who asks under an id is refused under it; all else gets an `error`. */
function complaintIn(frame: Sent): unknown {
  return frame.type === 'error' ? frame.message : Refused.parse(frame).response.error;
}

function literalsOf(schema: z.ZodLiteral | z.ZodEnum): string[] {
  return ('values' in schema ? [...schema.values] : schema.options).map(String);
}

/** What is wrong with a frame of ours, to the judges; null when nothing is. */
function problemWith(frame: Sent): string | null {
  const shapes: Record<string, z.ZodType[]> = {
    stream_event: [StreamFrame, WithParent],
    assistant: [AssistantFrame, WithParent],
    user: [UserFrame, WithParent],
    result: [ResultFrame],
    system: frame.subtype === 'init' ? [InitFrame] : [],
  };
  for (const shape of shapes[frame.type] ?? []) {
    const { error } = shape.safeParse(frame);
    if (error !== undefined) return problemOf(error);
  }
  const { data } = StreamFrame.safeParse(frame);
  if (data === undefined) return null;
  const { event } = data;
  const strict = strictEvents.get(event.type)?.safeParse(event).error;
  if (strict !== undefined) return problemOf(strict);
  if (event.type === 'content_block_start') return headProblem(event.content_block);
  if (event.type !== 'content_block_delta') return null;
  const kinds = ['text', 'thinking', 'tool_use'];
  const isTaken = kinds.some((kind) => deltaKinds.get(kind)?.has(event.delta.type) === true);
  return isTaken ? null : `no block takes ${event.delta.type}`;
}

const run: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }, { type: 'message-start', id: 'msg' }];
const whole = (
  index: number,
  content: Extract<Event, { type: 'block-start' }>['block'] & { kind: 'whole' },
): Event[] => [
  { type: 'block-start', index, block: content },
  { type: 'block-end', index },
];

/** Kinds that no scenario has: blocks that come whole, frames of a late client, answers to one client. */
function furtherFrames(): Sent[] {
  const { log } = told([
    ...run,
    ...whole(0, { kind: 'whole', content: { type: 'tool-call', id: 's', name: 'web_search', input: { query: 'q' } } }),
    ...whole(1, { kind: 'whole', content: { type: 'thinking', text: '', signature: 'aGk=', redacted: true } }),
    ...whole(2, { kind: 'whole', content: { type: 'image', data: 'aGk=', mediaType: 'image/png' } }),
    ...whole(3, { kind: 'whole', content: { type: 'link', url: 'https://example.com' } }),
    { type: 'message-added', role: 'user', origin: 'replay', content: [{ type: 'text', text: 'Hello.' }] },
    { type: 'error', message: 'No.' },
  ]);
  log.close();
  const client = connect();
  const { delivered } = client.say(read('valid', 'client.control_request.interrupt.json'));
  const answers = delivered.flatMap((command) => client.reply(command, { ok: true }).sent);
  const offered = client.asks({ type: 'control_request', request_id: 'r', request: { subtype: 'get_settings' } });
  const refusals = client.reply(offered, refused('unsupported', 'it knows no such request')).sent;
  return [...tell(sideOf('claude'), log.logged).texts.map((text) => JSON.parse(text)), ...answers, ...refusals];
}

describe('what we send', () => {
  const emitted = () => [
    ...scenarioNames.flatMap((name) => scenarioLines(name, 'claude').map((line): Sent => JSON.parse(line))),
    ...furtherFrames(),
  ];

  test.each(filesIn('valid', 'agent'))('%s pleases the judges', (file) => {
    const frame = read('valid', file);
    expect(`agent.${kindOf(frame)}.json`).toBe(file);
    expect(problemWith(frame)).toBeNull();
  });

  test.each(filesIn('invalid', 'agent'))('%s does not', (file) => {
    const { problem, frame } = read('invalid', file);
    expect(problemWith(frame)).toContain(problem);
  });

  test('every kind that we send has a fixture, and the reverse', () => {
    const kinds = [...new Set(emitted().map((frame) => `agent.${kindOf(frame)}.json`))].sort();
    expect(filesIn('valid', 'agent')).toEqual(kinds);
  });

  test('the frames that we send have the keys of their fixtures, and no others', () => {
    const optional = new Set([
      ...[
        'aborted',
        'parent_tool_use_id',
        'api_error_status',
        'compact_result',
        'compact_error',
        'tool_use_result',
        'priority',
      ],
    ]);
    const keysOf = (frame: Sent) =>
      Object.keys(frame)
        .filter((key) => !optional.has(key))
        .sort();
    for (const frame of emitted()) {
      const kind = kindOf(frame);
      expect({ kind, keys: keysOf(frame) }).toEqual({ kind, keys: keysOf(read('valid', `agent.${kind}.json`)) });
    }
  });
});
