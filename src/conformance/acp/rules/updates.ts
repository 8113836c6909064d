// Rules on the other updates, for agents. docs/protocols/acp.md 5.
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { at, can } from '../view/view.ts';
import { updateKinds } from '../words.ts';
import type { Row, Rows } from './judging.ts';

/** Updates of these kinds go to clients alone that declare them. */
const declared = (kinds: readonly string[], ability: string, sentence: string): Row => ({
  section: '5.52',
  sentence,
  covers: kinds.map((kind) => `update:${kind}`),
  scenarios: ['plain'],
  reads: 'both',
  *judge(view) {
    if (view.initialize === null) return;
    const isDeclared = can(view.clientCan, 'session', ability);
    for (const { frame, kind } of view.updates)
      if (kinds.includes(String(kind))) yield { frame, wrong: isDeclared ? null : `${shown(kind)} was not declared` };
  },
});

/** All rules on updates. */
export const updateRows: Rows = {
  'update-known': {
    section: '5.52',
    level: 'SHOULD',
    sentence: 'An update is one of the document, or of a draft, or begins with an underscore.',
    covers: ['notification:session/update'],
    scenarios: ['text'],
    judge: ({ updates }) =>
      each(updates, ({ kind }) =>
        updateKinds.has(String(kind)) || String(kind).startsWith('_') ? null : `it is ${shown(kind)}`,
      ),
  },
  'usage-fits': {
    section: '5.52',
    level: 'SHOULD',
    sentence: 'What `usage_update` says is used is not below zero, and no more than there is.',
    covers: ['update:usage_update'],
    scenarios: ['text'],
    judge: ({ updates }) =>
      each(
        updates.filter(({ kind }) => kind === 'usage_update'),
        ({ update: { used, size } }) =>
          Number(used) >= 0 && (Number(size) === 0 || Number(used) <= Number(size))
            ? null
            : `${shown(used)} of ${shown(size)}`,
      ),
  },
  'notice-declared': declared(['notice'], 'notices', 'Notices go to clients alone that declare `session.notices`.'),
  'compaction-declared': declared(
    ['compaction_update', 'compaction_summary_chunk'],
    'compaction',
    'Compactions are told to clients alone that declare `session.compaction`.',
  ),
  'compaction-ends': {
    section: '5.52',
    level: 'SHOULD',
    sentence: 'A compaction that is in progress ends.',
    covers: ['update:compaction_update'],
    scenarios: ['compaction'],
    *judge({ updates, isComplete }) {
      const all = updates.filter(({ kind }) => kind === 'compaction_update');
      for (const { frame, update, session } of all) {
        if (update.status !== 'in_progress') continue;
        const isOver = all.some(
          (one) =>
            one.session === session &&
            at(one.update, 'compactionId') === update.compactionId &&
            one.update.status !== 'in_progress',
        );
        if (isOver || isComplete) yield { frame, wrong: isOver ? null : 'it does not end' };
      }
    },
  },
};
