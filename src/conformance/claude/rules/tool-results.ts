// Rules on tool results that hold in both dialects (docs/protocols/rpc-message.md 4.3, 5.3).
import { each, type Rule } from '../../check/rule.ts';
import type { Calls } from '../view/tool-calls.ts';

/** The rules, with ids of the given protocol. */
export function toolResultRules<View extends { readonly calls: Calls }>(protocol: string): Rule<View>[] {
  const row = {
    level: 'MUST',
    basis: 'specification',
    scenarios: ['tools'],
    covers: ['block:tool_use', 'block:tool_result'],
  } as const;
  return [
    {
      ...row,
      id: `${protocol}/tool-result-known`,
      section: '5.3',
      sentence: 'A tool_result names a call that was made before.',
      judge: ({ calls }) =>
        each(
          calls.results.filter(({ call, isOwed }) => call !== undefined || isOwed),
          ({ call, block }) => (call === undefined ? `nobody called ${String(block.tool_use_id)}` : null),
        ),
    },
    {
      ...row,
      id: `${protocol}/tool-result-once`,
      section: '4.3',
      sentence: 'A call gets one result.',
      judge: ({ calls }) =>
        each(calls.results, (result) =>
          result.call === undefined || result.call.results[0] === result
            ? null
            : `${result.call.id} has a result already`,
        ),
    },
  ];
}
