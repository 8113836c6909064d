// What our pi frontend promises beyond the rules for everybody.
import { isDeepStrictEqual } from 'node:util';
import { each } from '../../../src/conformance/check/rule.ts';
import { readPi } from '../../../src/conformance/pi/view/view.ts';
import { ownRules } from './own-rule.ts';

const responseKeys = ['id', 'type', 'command', 'success', 'data', 'error'];

export const piOwn = ownRules('pi', readPi, {
  'response-keys': [
    'The keys of a response come in one order.',
    ({ answers }) =>
      each(answers, ({ json }) => {
        const keys = Object.keys(json);
        const isInOrder = isDeepStrictEqual(
          keys,
          responseKeys.filter((key) => keys.includes(key)),
        );
        return isInOrder ? null : keys.join(', ');
      }),
  ],
});
