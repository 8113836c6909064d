// Rules on single lines (docs/protocols/pi-legacy.md 2).
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { type LegacyRows, talks } from './legacy-rows.ts';

const compaction = fields({ summary: 'string', tokensBefore: 'number' });

export const lineRows: LegacyRows = {
  'json-lines': {
    section: 'Output Protocol',
    sentence: 'Each line of the agent is one JSON object.',
    covers: [],
    scenarios: talks,
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by === 'agent') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  'compaction-fields': {
    section: 'compaction',
    sentence: 'Each `compaction` has the fields of its schema.',
    covers: ['event:compaction'],
    scenarios: ['compact', 'auto compaction'],
    judge: ({ agent }) =>
      each(
        agent.filter(({ type }) => type === 'compaction'),
        ({ json }) => {
          const isAuto = json.auto === undefined || json.auto === true;
          return misfit(json, compaction, 'compaction') ?? (isAuto ? null : 'auto must be true, or not there');
        },
      ),
  },
};
