// Rules on the figures of a result: tokens, costs, and results themselves (docs/protocols/rpc-message.md 6.5;
// docs/protocols/claude.md 7.5, 7.6).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import type { Message, View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

const results = ({ fromAgent }: View): readonly Message[] => fromAgent.filter(({ type }) => type === 'result');
const covers = ['message:result'];
const counts = {
  input_tokens: 'number',
  output_tokens: 'number',
  'cache_read_input_tokens?': 'number',
  'cache_creation_input_tokens?': 'number',
} as const;

export const figureRules = claudeRules({
  'result-usage': {
    section: '1.1',
    sentence: 'A result counts the tokens of its turn, in the words of the API.',
    scenarios: ['text'],
    covers,
    judge: (view) => each(results(view), ({ json }) => misfit(json, fields({ usage: fields(counts) }), 'result')),
  },
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
  'result-model-usage': {
    section: '6.5',
    sentence: 'modelUsage has the figures of each model by its name: inputTokens, outputTokens, costUSD.',
    scenarios: ['text'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      const figures = fields({ inputTokens: 'number', outputTokens: 'number', costUSD: 'number' });
      for (const { frame, json } of results(view)) {
        const models = Object.entries(dictionaryOf(json.modelUsage));
        const wrong = models.map(([name, value]) => misfit(value, figures, `modelUsage.${name}`));
        const missing = misfit(json, fields({ modelUsage: 'object' }), 'result');
        yield { frame, wrong: missing ?? wrong.find((one) => one !== null) ?? null };
      }
    },
  },
});
