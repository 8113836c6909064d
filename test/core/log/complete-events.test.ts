// What the repair adds to an event so that the log can be read alone: names that are their own, arguments that streamed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { anyEvents } from '../../support/core/arbitraries.ts';
import { createRepairedLog, repaired } from '../../support/core/repaired.ts';

const run: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
const message = (id: string, parent?: string): Event => ({ type: 'message-start', id, parent });
const messageEnd = (parent?: string): Event => ({ type: 'message-end', parent, stop: { reason: 'end' } });
const call = (id: string, index = 0, parent?: string): Event => ({
  type: 'block-start',
  parent,
  index,
  block: { kind: 'tool-call', id, name: 'look' },
});
const end = (index = 0): Event => ({ type: 'block-end', index });
const tool: Event = { type: 'tool-start', call: 'a', name: 'look', input: {} };
const toolEnd: Event = { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false };

describe('names', () => {
  const names = (events: readonly Event[]) =>
    repaired(events).log.flatMap((event) => {
      if (event.type === 'message-start') return [event.id];
      return event.type === 'block-start' && event.block.kind === 'tool-call' ? [event.block.id] : [];
    });

  test.each<[string, Event[], string[]]>([
    ['messages of their own name', [message('m'), messageEnd(), message('n')], ['m', 'n']],
    [
      'a message of a taken name',
      [message('m'), messageEnd(), message('m'), messageEnd(), message('m')],
      ['m', 'm-2', 'm-3'],
    ],
    [
      'also where that is taken',
      [message('m-2'), messageEnd(), message('m'), messageEnd(), message('m')],
      ['m-2', 'm', 'm-3'],
    ],
    ['in another lane', [message('m'), message('m', 'a')], ['m', 'm-2']],
    ['a call of the name of an open one', [message('m'), call('a'), call('a', 1)], ['m', 'a', 'a-2']],
    ['a call of the name of one that runs', [tool, message('m'), call('a')], ['m', 'a-2']],
    [
      'a call that was answered comes again in a later message',
      [message('m'), call('a'), end(), messageEnd(), tool, toolEnd, message('n'), call('a')],
      ['m', 'a', 'n', 'a'],
    ],
    ['but not in a message that was open before', [message('m'), tool, toolEnd, call('a')], ['m', 'a-2']],
  ])('%s', (_name, events, expected) => expect(names([...run, ...events])).toEqual(expected));

  test('a name that is taken is a violation', () => {
    expect(repaired([...run, message('m'), messageEnd(), message('m')]).notes).toEqual([
      'violation message-start: its id is taken',
    ]);
  });

  test('names of before count, where a session is made again from its transcript', () => {
    const { transcript, append, log, admit } = createRepairedLog();
    for (const event of [...run, message('m'), messageEnd()]) append(event);
    expect(transcript.items).not.toEqual([]);
    admit(message('m'));
    expect(log.at(-1)).toEqual(message('m-2'));
  });

  test('no two messages of a log have one name, nor two open calls', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { log } = repaired(events);
        const ids = log.flatMap((event) => (event.type === 'message-start' ? [event.id] : []));
        expect(new Set(ids).size).toBe(ids.length);
        const open = new Set<string>();
        for (const event of log) {
          if (event.type === 'tool-start') open.add(event.call);
          if (event.type === 'tool-end') open.delete(event.call);
          if (event.type !== 'block-start' || event.block.kind !== 'tool-call') continue;
          expect(open.has(event.block.id)).toBe(false);
          open.add(event.block.id);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the arguments of a call', () => {
  const ending = (said: string, event: Partial<EventOf<'block-end'>> = {}) => {
    const delta: Event[] = said === '' ? [] : [{ type: 'block-delta', index: 0, delta: said }];
    return repaired([...run, message('m'), call('a'), ...delta, { type: 'block-end', index: 0, ...event }]).log.at(-1);
  };

  test.each<[string, string, Partial<EventOf<'block-end'>>, object]>([
    ['that only streamed', '{"path":"notes"}', {}, { input: { path: 'notes' } }],
    ['that the ending says: it counts', '{"path":"notes"}', { input: { path: 'other' } }, { input: { path: 'other' } }],
    ['none at all', '', {}, { input: {} }],
    ['cut', '{"path":"no', {}, { incomplete: true }],
    ['no object', '[1]', {}, { incomplete: true }],
    ['null', 'null', {}, { incomplete: true }],
    ['a name that objects have', '{"__proto__":1}', {}, { input: JSON.parse('{"__proto__":1}') }],
  ])('%s', (_name, said, event, expected) => {
    expect(ending(said, event)).toEqual({ type: 'block-end', index: 0, ...expected });
  });

  test('are no business of a text', () => {
    const text: Event = { type: 'block-start', index: 0, block: { kind: 'text' } };
    const { log } = repaired([...run, message('m'), text, { type: 'block-delta', index: 0, delta: '{}' }, end()]);
    expect(log.at(-1)).toEqual(end());
  });
});
