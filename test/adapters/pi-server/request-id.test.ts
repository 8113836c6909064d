// Questions are called on the wire what clients may send back, and whatever an agent calls them can be told from it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dialogRequestIdOf,
  idOf,
  namesApproval,
  requestIdOf,
} from '../../../src/adapters/pi-server/frontend/request-id.ts';

const mayBeSent = /^[A-Za-z0-9:_-]+$/u;

test.each([
  ['s1:1795255184888:6g8fqqj', 's1:1795255184888:6g8fqqj'],
  ['approval:toolu_01', 'approval:toolu_01'],
  ['a b', 'spelled:a_20_b'],
  ['a_b.c', 'spelled:a_5f_b_2e_c'],
  ['spelled:a', 'spelled:spelled:a'],
  ['', 'spelled:'],
])('%s is %s', (id, wire) => expect([requestIdOf(id), idOf(wire)]).toEqual([wire, id]));

test('any id comes back', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string().map((text) => `spelled:${text}`),
      ),
      (id) => {
        const wire = requestIdOf(id);
        expect(wire).toMatch(mayBeSent);
        expect(idOf(wire)).toBe(id);
      },
    ),
  );
});

test.each([
  ['q1', 'q1'],
  ['a b', 'spelled:a_20_b'],
  ['approval:t1', 'spelled:_61_pproval:t1'],
  ['approval:t 1', 'spelled:_61_pproval:t_20_1'],
])('a dialog called %s is %s, and no approval', (id, wire) => {
  expect([dialogRequestIdOf(id), idOf(wire), namesApproval(wire)]).toEqual([wire, id, false]);
  expect(namesApproval(requestIdOf(`approval:${id}`))).toBe(true);
});

test.each([
  ['spelled:_110000_', '_110000_'],
  ['spelled:_ffffffff_', '_ffffffff_'],
  ['spelled:_', '_'],
  ['spelled:_zz_', '_zz_'],
])('what no server has said is some name, too: %s', (wire, id) => expect(idOf(wire)).toBe(id));
