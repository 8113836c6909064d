// Rules on the other updates, for agents. docs/protocols/acp.md 5.
import { each } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { compaction, type Fault, notice, sessionInfo, usage } from '../shapes.ts';
import { at, can, shown } from '../view/view.ts';
import { updateKinds } from '../words.ts';
import { type Row, type Rows, shaped } from './judging.ts';

const shape = (kind: string, sentence: string, fault: Fault, scenarios: readonly string[] = ['text']): Row => ({
  section: '5.52',
  sentence,
  covers: [`update:${kind}`],
  scenarios,
  judge: ({ updates }) =>
    shaped(
      updates.filter((one) => one.kind === kind).map(({ frame, update }) => ({ frame, value: update })),
      fault,
    ),
});

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
  'update-shape': {
    section: '5.52',
    sentence: '`session/update` has a `sessionId`, and an `update` that says what it is in `sessionUpdate`.',
    covers: ['notification:session/update'],
    scenarios: ['text'],
    judge: ({ agent }) =>
      each(
        agent.notifications.filter(({ method }) => method === 'session/update'),
        ({ params }) =>
          misfit(params, fields({ sessionId: 'string', update: fields({ sessionUpdate: 'string' }) }), 'params'),
      ),
  },
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
  'usage-shape': shape(
    'usage_update',
    '`usage_update` has integers `used` and `size`, and a cost with its currency.',
    usage,
  ),
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
  'session-info-shape': shape(
    'session_info_update',
    'The title and the date of `session_info_update` are texts or null.',
    sessionInfo,
  ),
  'notice-shape': shape('notice', 'A notice has a severity of the list and a title.', notice, ['notice']),
  'notice-declared': declared(['notice'], 'notices', 'Notices go to clients alone that declare `session.notices`.'),
  'compaction-shape': shape('compaction_update', 'A compaction has an id and a status of the list.', compaction, [
    'compaction',
  ]),
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
