// What a keeper writes, and when: whatever became of the conversation meanwhile.
import { describe, expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../src/core/log/fold.ts';
import { mostLines } from '../../src/core/log/session-lines.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { GrowingFile } from '../../src/stores/growing-file.ts';
import { createKeeper } from '../../src/stores/session-keeper.ts';

const message = (text: string): Event => ({ type: 'message-added', role: 'user', content: [{ type: 'text', text }] });
const name = (value: string): Event => ({ type: 'session-changed', changes: { name: value } });

interface Before {
  readonly known?: number;
  readonly lines?: number;
  readonly isMade?: boolean;
}

function rigged({ known = 0, lines = 0, isMade = false }: Before = {}) {
  const view = { id: 'a', epoch: 'e', timeOrigin: 0, transcript: emptyTranscript() };
  const texts: string[] = [];
  const later: (() => void)[] = [];
  const failures: string[] = [];
  const file: GrowingFile = {
    file: '/a',
    get isMade() {
      return isMade || texts.length > 0;
    },
    append: (text) => void texts.push(text),
  };
  const keeper = createKeeper({
    head: { type: 'patchbay-session', version: 1, id: 'a', agent: 'x', createdAt: 't' },
    file,
    known,
    missing: [],
    lines,
    soon: (callback) => void later.push(callback),
    whenKept: (callback) => callback(),
    failed: (reason) => void failures.push(reason),
  });
  return {
    view,
    keeper,
    failures,
    tell(...events: readonly Event[]) {
      for (const event of events) {
        fold(view.transcript, { seq: view.transcript.lastSeq + 1, at: 0, event });
        keeper.record(event, view);
      }
    },
    soon() {
      for (const callback of later.splice(0)) callback();
    },
    /** What each line says, by the time when it was written. */
    written: () =>
      texts.map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .map(({ content, changes, type, name: called }) => content?.[0].text ?? changes?.name ?? called ?? type),
      ),
  };
}

describe('a keeper', () => {
  test('writes once what comes at once, with the name that it has by then', () => {
    const { tell, soon, written } = rigged();
    tell(name('before'), message('one'), name('then'), message('two'));
    expect(written()).toEqual([]);
    soon();
    expect(written()).toEqual([['then', 'one', 'two']]);
    tell(name('after'));
    soon();
    expect(written().slice(1)).toEqual([['after']]);
  });

  test('a name alone is not written, and not lost', () => {
    const { tell, soon, written } = rigged();
    tell(name('early'));
    soon();
    expect(written()).toEqual([]);
    tell(message('one'));
    soon();
    expect(written()).toEqual([['early', 'one']]);
  });

  test('what it has heard of is written though the conversation is gone, and nothing of the next one', () => {
    const { tell, soon, written, view, keeper } = rigged();
    tell(message('one'));
    fold(view.transcript, { seq: 9, at: 0, event: { type: 'history-reset', reason: 'new' } });
    keeper.write();
    expect(written()).toEqual([['patchbay-session', 'one']]);
    fold(view.transcript, { seq: 10, at: 0, event: message('of the next') });
    soon();
    expect(written()).toHaveLength(1);
  });

  test('what is told again though it is in the file is not written again', () => {
    const { tell, soon, written } = rigged({ known: 2, isMade: true });
    tell(message('one'), message('two'));
    soon();
    expect(written()).toEqual([]);
    tell(message('three'));
    soon();
    expect(written()).toEqual([['three']]);
  });

  test('no more lines than can be read again', () => {
    const { tell, soon, written, failures } = rigged({ isMade: true, lines: mostLines - 5 });
    for (const text of ['one', 'two', 'three']) {
      tell(message(text));
      soon();
    }
    expect(written()).toEqual([['one']]);
    expect(failures).toEqual([`the file would have more than ${mostLines} lines`]);
  });
});
