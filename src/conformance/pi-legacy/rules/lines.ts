// Rules on single lines: every frame is a line, and each event has its fields (docs/protocols/pi-legacy.md 2).
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { each } from '../../check/rule.ts';
import { misfit } from '../../check/shape.ts';
import { eventTypes, lines, updates } from '../shapes.ts';
import type { Line, View } from '../view/parts.ts';
import { type LegacyRule, rulesOf } from './legacy-rule.ts';

const ofType = (view: View, type: string) => view.agent.filter((line) => line.type === type);

/** The rule on the fields of one event. */
function schema(
  type: string,
  scenarios: readonly string[],
  also: (line: Line) => string | null = () => null,
): LegacyRule {
  return {
    name: `${type.replaceAll('_', '-')}-fields`,
    section: type,
    sentence: `Each \`${type}\` has the fields of its schema.`,
    covers: [`event:${type}`],
    scenarios,
    judge: (view) =>
      each(ofType(view, type), (line) => {
        const shape = lines.get(type);
        return (shape === undefined ? null : misfit(line.json, shape, type)) ?? also(line);
      }),
  };
}

const types: readonly string[] = eventTypes;

export const lineRules = rulesOf('', [
  {
    name: 'json-lines',
    section: 'Output Protocol',
    sentence: 'Each line of the agent is one JSON object.',
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by === 'agent') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  {
    name: 'event-types',
    section: 'Event Types Overview',
    level: 'SHOULD',
    sentence: 'The `type` of each line is one of the eleven events.',
    covers: ['event:agent_start', 'event:turn_start'],
    judge: ({ agent }) =>
      each(agent, ({ type, json }) => (types.includes(type) ? null : `unknown type ${JSON.stringify(json.type)}`)),
  },
  schema('agent_end', ['talk', 'tools']),
  schema('turn_end', ['talk', 'tools']),
  schema('message_start', ['talk', 'tools']),
  schema('message_update', ['talk', 'tools']),
  schema('message_end', ['talk', 'tools']),
  schema('tool_execution_start', ['tools']),
  schema('tool_execution_end', ['tools']),
  schema('error', ['bad input'], ({ json }) => (json.error === '' ? 'the error says nothing' : null)),
  schema('compaction', ['compact', 'auto compaction'], ({ json }) =>
    json.auto === undefined || json.auto === true ? null : 'auto must be true, or not there',
  ),
  {
    name: 'update-fields',
    section: 'AssistantMessageEvent',
    sentence: 'Each `assistantMessageEvent` is of a known type and has the fields of that type.',
    covers: [
      'update:text_start',
      'update:text_delta',
      'update:text_end',
      'update:thinking_start',
      'update:thinking_delta',
    ]
      .concat(['update:thinking_end', 'update:toolcall_start', 'update:toolcall_delta', 'update:toolcall_end'])
      .concat(['update:start', 'update:done', 'update:error']),
    scenarios: ['talk', 'thinking', 'tools'],
    judge: (view) =>
      each(ofType(view, 'message_update'), ({ json }) => {
        const event = json.assistantMessageEvent;
        if (!isDictionary(event)) return null;
        const shape = updates.get(String(event.type));
        return shape === undefined
          ? `unknown type ${String(event.type)}`
          : misfit(event, shape, 'assistantMessageEvent');
      }),
  },
]);
