// What holds whatever the agent says: an order that clients of both eras can follow, ends that come once, and the same
// words for those who come late.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Dialect, union } from '../../../src/adapters/eca/frontend/dialect.ts';
import type { Event, Logged } from '../../../src/core/model/event.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
import { createLog } from '../../support/telling.ts';
import {
  againstOrder,
  contentsOf,
  done,
  heardLate,
  heardOf,
  modern,
  outline,
  run,
  type Sent,
  user,
} from './projection-words.ts';

const dialects: [string, Dialect][] = [
  ['union', union],
  ['modern', modern],
];

function logOf(events: readonly Event[], close = true): readonly Logged[] {
  const log = createLog();
  for (const event of events) log.admit(event);
  if (close) log.close();
  // A prompt without a run is one that waits for it.
  if (close) for (const event of [...run, ...done]) log.admit(event);
  return log.logged;
}

const countOf = (logged: readonly Logged[], type: Event['type']): number =>
  logged.filter(({ event }) => event.type === type).length;

function checkRuns(frames: readonly Sent[], logged: readonly Logged[]): void {
  const main = frames.filter(({ params }) => params.parentChatId === undefined);
  const finished = contentsOf(main, 'progress').filter(({ state }) => state === 'finished');
  expect(finished).toHaveLength(countOf(logged, 'run-end'));
  expect(outline(main).filter((word) => word === 'running')).toHaveLength(countOf(logged, 'run-start'));
}

/**
 * What is not the agent's own doing: one may ask with other arguments than it wrote, which is what its user must see, and
 * about another thing under a name that it had before.
 */
const isOurs = (against: string): boolean => !/^eca\/(?:own\/arguments|request-id) /u.test(against);

describe.each(dialects)('to a client of the dialect %s', (_, dialect) => {
  test.each(scenarioNames)('%s is told in order', (scenario) => {
    const logged = logOf(canonicalEvents(scenario));
    const { frames } = heardOf(logged, dialect);
    expect(againstOrder(frames, dialect)).toEqual([]);
    checkRuns(frames, logged);
  });

  test.each([
    ['legal', legalEvents],
    ['any', anyEvents],
  ])('%s events are told in order', (_kind, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (all) => {
        // The chats of sub-agents are not cleared: calls of one id may come in them again.
        const events = all.filter(({ type }) => dialect === union || type !== 'history-reset');
        const logged = logOf(events);
        const { frames } = heardOf(logged, dialect);
        const against = againstOrder(frames, dialect).filter(isOurs);
        expect(against).toEqual([]);
        checkRuns(frames, logged);
      }),
      { numRuns: 150 },
    );
  });
});

/** What is told again to those who come late; how long things took, and that somebody was asked, is over for them. */
function retold(frames: readonly Sent[]): unknown[] {
  const all: Record<string, unknown>[] = [];
  for (const { method, params } of frames) {
    const { role, content } = params;
    if (method === 'chat/statusChanged') all.push({ status: params.status });
    if (content === undefined || content.state === 'running' || content.name === 'confirm') continue;
    const { totalTimeMs, manualApproval, ...rest } = content;
    const last = all.at(-1);
    const { text } = rest;
    const isPiece = (rest.type === 'text' && role === 'assistant') || rest.type === 'reasonText';
    // How often it was tried is over for them, too.
    if (role === 'system' && typeof text === 'string') rest.text = text.replace(/Retrying \(\d+\/\d+\)/u, 'Retrying');
    if (isPiece && last?.type === rest.type) last.text = `${String(last.text)}${String(text)}`;
    else all.push({ role, ...rest });
  }
  return all;
}

describe('who comes late', () => {
  test.each(scenarioNames)('hears the same: %s', (scenario) => {
    const logged = logOf(canonicalEvents(scenario), false);
    const [first, ...others] = heardLate(logged).map(retold);
    for (const [at, other] of others.entries()) expect({ at, heard: other }).toEqual({ at, heard: first });
  });

  test('is told the whole chat anew: what was shown of it before does not count', () => {
    const logged = logOf(canonicalEvents('text'), false);
    const [first = []] = heardLate(logged);
    expect(outline(first).slice(0, 3)).toEqual(['chat/opened', 'config/updated', 'U "Which cable goes where?\\n"']);
    expect(outline(heardLate(logged).at(-1) ?? []).slice(0, 2)).toEqual(['chat/cleared', 'chat/opened']);
  });

  test('sees what is asked, and is not asked what is over', () => {
    const asked: Event = { type: 'approval-request', id: 'a', call: 'c', name: 'read', input: {} };
    const over: Event = { ...asked, id: 'b', call: 'd' };
    const events: Event[] = [...run, over, { type: 'approval-end', id: 'b', outcome: 'allowed' }, asked];
    const late = heardLate(logOf(events, false)).at(-1) ?? [];
    const words = outline(late);
    expect(words).toContain('A run d');
    expect(words.slice(-2)).toEqual(['A run c ?', 'S (Waiting for tool call approval)']);
  });

  test('is not left with a run that is over', () => {
    const late = heardLate(logOf([...run, ...done], false)).at(-1) ?? [];
    expect(outline(late).at(-1)).toBe('S finished');
  });

  test('hears once that a tool runs which was asked about while it ran', () => {
    const asked: Event[] = [
      ...run,
      { type: 'tool-start', call: 'a', name: 'tool-a', input: {} },
      { type: 'approval-request', id: 'x', name: 'tool-a', call: 'a', input: {} },
      { type: 'approval-end', id: 'x', outcome: 'allowed' },
    ];
    const late = heardLate(logOf(asked, false)).at(-1) ?? [];
    expect(late.filter((frame) => JSON.stringify(frame).includes('toolCallRunning'))).toHaveLength(1);
  });

  test.each(dialects)('gets the same frames as all others from then on: %s', (_, dialect) => {
    fc.assert(
      fc.property(legalEvents, (all) => {
        // Sub-agents are told again message by message, and their chats end where they do.
        const events = all.filter((event) => dialect === union || !('parent' in event)).slice(0, 30);
        // A run is told of with its first word.
        const prompted = events.flatMap((event) => (event.type === 'run-start' ? [event, user('go')] : [event]));
        const logged = logOf(prompted);
        for (const frames of heardLate(logged, dialect)) {
          const against = againstOrder(frames, dialect, false);
          expect(against.filter(isOurs)).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });
});
