// Rules on the answers to forms, for clients. docs/protocols/acp.md 6.55.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { misfit, type Shape, shown } from '../../check/shape.ts';
import { at } from '../view/view.ts';
import type { Rows } from './judging.ts';

/** The shapes of values, by the type of their field. */
const values: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
  ['array', ['string']],
]);

function valueFault(name: string, { type, enum: words }: Dictionary, value: unknown): string | null {
  const shape = Array.isArray(words) ? { words: words.map(String) } : values.get(type);
  return value === undefined || shape === undefined ? null : misfit(value, shape, name);
}

/** All rules on forms. */
export const clientFormRows: Rows = {
  'elicitation-values': {
    section: '6.55',
    level: 'SHOULD',
    sentence:
      'A form that is accepted has a value for each required field, and each value is of the type of its field.',
    covers: ['request:elicitation/create'],
    scenarios: ['form'],
    reads: 'both',
    *judge({ agent }) {
      for (const { method, answers, params } of agent.requests) {
        const required = at(params, 'requestedSchema', 'required');
        if (method !== 'elicitation/create' || !Array.isArray(required)) continue;
        const properties = Object.entries(dictionaryOf(at(params, 'requestedSchema', 'properties')));
        for (const { frame, result } of answers) {
          if (at(result, 'action') !== 'accept') continue;
          const content = dictionaryOf(at(result, 'content'));
          const missing = required.find((name) => content[String(name)] === undefined);
          const wrong = properties.map(([name, property]) => valueFault(name, dictionaryOf(property), content[name]));
          const first = wrong.find((one) => one !== null) ?? null;
          yield { frame, wrong: missing === undefined ? first : `${shown(missing)} is missing` };
        }
      }
    },
  },
};
