// Rules on the figures of a result: tokens, costs, and results themselves (docs/protocols/rpc-message.md 6.5;
// docs/protocols/claude.md 7.5, 7.6).
import type { Message, View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

const results = ({ fromAgent }: View): readonly Message[] => fromAgent.filter(({ type }) => type === 'result');
const covers = ['message:result'];

export const figureRules = claudeRules({
  'result-index': {
    section: '6.5',
    sentence: 'result_index, where there is one, counts the results of a connection.',
    scenarios: ['text'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      let before: number | null = null;
      for (const { frame, json } of results(view)) {
        const { result_index: index } = json;
        if (typeof index !== 'number') continue;
        yield {
          frame,
          wrong: before === null || index === before + 1 ? null : `result_index ${index} behind ${before}`,
        };
        before = index;
      }
    },
  },
  'result-cost': {
    section: '6.5',
    sentence: 'total_cost_usd is what the session has cost so far: it never falls.',
    scenarios: ['text'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      // A user command may begin a new session, so costs are summed for each session.
      const spent = new Map<unknown, number>();
      for (const { frame, json } of results(view)) {
        const cost = Number(json.total_cost_usd);
        const before = spent.get(json.session_id) ?? 0;
        yield { frame, wrong: cost >= before ? null : `${cost} behind ${before}` };
        spent.set(json.session_id, cost);
      }
    },
  },
});
