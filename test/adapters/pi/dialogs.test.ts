// What extensions ask and show: every method, every answer, and the dialogs that end by themselves.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { bench } from './harness.ts';

const ok = { ok: true };
const refused = (code: string) => ({ ok: false, error: { code } });
const asks = (id: string, rest: object = {}) => ({
  type: 'extension_ui_request',
  id,
  method: 'select',
  title: 'Which?',
  options: ['a', 'b'],
  ...rest,
});

describe('dialogs', () => {
  test.each<[method: string, rest: object, event: object]>([
    ['select', { options: ['a', 'b'] }, { kind: 'select', title: 'Which?', options: ['a', 'b'] }],
    ['confirm', { message: 'Really?' }, { kind: 'confirm', title: 'Which?', message: 'Really?' }],
    ['input', { placeholder: 'here' }, { kind: 'input', title: 'Which?', placeholder: 'here' }],
    ['editor', { prefill: 'x' }, { kind: 'editor', title: 'Which?', prefill: 'x' }],
  ])('%s', (method, rest, event) => {
    const pi = bench();
    pi.feed({ type: 'extension_ui_request', id: 'd', method, title: 'Which?', ...rest });
    expect(pi.events()).toEqual([{ type: 'dialog-request', id: 'd', ...event }]);
  });

  test.each<[method: string, answer: (Command & { type: 'answer-dialog' })['answer'], line: object | null]>([
    ['select', { kind: 'value', value: 'a' }, { value: 'a' }],
    ['input', { kind: 'value', value: '' }, { value: '' }],
    ['editor', { kind: 'value', value: 'x\ny' }, { value: 'x\ny' }],
    ['confirm', { kind: 'confirmed', confirmed: false }, { confirmed: false }],
    ['confirm', { kind: 'cancelled' }, { cancelled: true }],
    ['confirm', { kind: 'value', value: 'yes' }, null],
    ['select', { kind: 'confirmed', confirmed: true }, null],
    ['select', { kind: 'responses', responses: {} }, null],
  ])('%s answered with %o', (method, answer, line) => {
    const pi = bench();
    pi.feed(asks('d', { method }));
    pi.command({ type: 'answer-dialog', id: 'd', answer }, 'c1');
    expect(pi.sent()).toEqual(line === null ? [] : [{ type: 'extension_ui_response', id: 'd', ...line }]);
    expect(pi.settled()).toMatchObject({ c1: line === null ? refused('invalid') : ok });
    pi.command({ type: 'answer-dialog', id: 'd', answer: { kind: 'cancelled' } }, 'c2');
    expect(pi.settled()).toMatchObject({ c2: line === null ? ok : refused('stale') });
  });

  test('one with a timeout ends by itself: pi tells nobody', () => {
    const pi = bench();
    pi.feed(asks('d', { timeout: 150 }));
    expect(pi.events()).toMatchObject([{ type: 'dialog-request', timeoutMs: 150 }]);
    pi.advance(150);
    expect(pi.events()).toEqual([{ type: 'dialog-end', id: 'd', outcome: 'expired' }]);
    pi.command({ type: 'answer-dialog', id: 'd', answer: { kind: 'cancelled' } }, 'c1');
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c1: refused('stale') });
  });

  test('an answer stops the timeout', () => {
    const pi = bench();
    pi.feed(asks('d', { timeout: 150 }));
    pi.command({ type: 'answer-dialog', id: 'd', answer: { kind: 'value', value: 'a' } }, 'c1');
    expect(pi.timers()).toEqual({});
  });

  test('a second dialog of one id is ignored', () => {
    const pi = bench();
    pi.feed(asks('d'), asks('d', { method: 'confirm' }));
    expect(pi.events()).toHaveLength(1);
    expect(pi.notes()).toEqual(['violation: extension_ui_request: ignored a dialog whose id is taken']);
  });

  test.each<[rest: object, event: object]>([
    [
      { method: 'notify', message: 'm' },
      { type: 'notice', level: 'info', text: 'm', source: 'extension', extra: { pi: { id: 'x', untyped: true } } },
    ],
    [
      { method: 'notify', message: 'm', notifyType: 'error' },
      { type: 'notice', level: 'error', text: 'm', source: 'extension' },
    ],
    [
      { method: 'setStatus', statusKey: 'k', statusText: 't' },
      { type: 'display', place: 'status', key: 'k', lines: ['t'] },
    ],
    [
      { method: 'setStatus', statusKey: 'k' },
      { type: 'display', place: 'status', key: 'k', lines: null },
    ],
    [
      { method: 'setWidget', widgetKey: 'k', widgetLines: ['a', 'b'], widgetPlacement: 'belowEditor' },
      { type: 'display', place: 'widget', key: 'k', lines: ['a', 'b'], position: 'belowEditor' },
    ],
    [
      { method: 'setWidget', widgetKey: 'k' },
      { type: 'display', place: 'widget', key: 'k', lines: null },
    ],
    [
      { method: 'setTitle', title: 't' },
      { type: 'display', place: 'title', lines: ['t'] },
    ],
    [
      { method: 'set_editor_text', text: 'a\nb' },
      { type: 'display', place: 'editor', lines: ['a', 'b'] },
    ],
  ])('%o asks nothing', (rest, event) => {
    const pi = bench();
    pi.feed({ type: 'extension_ui_request', id: 'x', ...rest });
    expect(pi.events()).toEqual([{ extra: { pi: { id: 'x' } }, ...event }]);
  });

  test.each([
    ['of a newer pi', { method: 'paint' }, 'it has an unknown method'],
    ['without its fields', { method: 'setTitle' }, 'it does not have the fields of its method'],
  ])('a request %s is passed on', (_, rest, why) => {
    const pi = bench();
    const payload = { type: 'extension_ui_request', id: 'x', ...rest };
    pi.feed(payload);
    expect(pi.events()).toEqual([{ type: 'unknown', protocol: 'pi', payload }]);
    expect(pi.notes()).toEqual([`violation: extension_ui_request: passed on as it is, for ${why}`]);
  });

  test('and so is the answer to it', () => {
    const pi = bench();
    const payload = { type: 'extension_ui_response', id: 'x', value: 'red' };
    pi.command({ type: 'unknown', protocol: 'pi', payload }, 'c1');
    expect(pi.sent()).toEqual([payload]);
    expect(pi.settled()).toEqual({ c1: ok });
  });
});
