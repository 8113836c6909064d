// What our pi-legacy frontend promises beyond the rules for everybody: a client of pi 0.13.2 sees nothing of a newer pi.
import { readView } from '../../../src/conformance/pi-legacy/view/view.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { ownRules } from './own-rule.ts';

const tool = ['toolCallId', 'toolName'];
/** The fields of docs/protocols/pi-legacy.md 2.1, besides the type. */
const fields: ReadonlyMap<string, readonly string[]> = new Map([
  ['agent_start', []],
  ['agent_end', ['messages']],
  ['turn_start', []],
  ['turn_end', ['message', 'toolResults']],
  ['message_start', ['message']],
  ['message_update', ['assistantMessageEvent', 'message']],
  ['message_end', ['message']],
  ['tool_execution_start', [...tool, 'args']],
  ['tool_execution_end', [...tool, 'result', 'isError']],
  ['compaction', ['timestamp', 'summary', 'firstKeptEntryIndex', 'tokensBefore', 'auto']],
  ['error', ['error']],
]);
const ofUpdates = ['contentIndex', 'partial', 'delta', 'content', 'toolCall'];

const strange = (json: object, known: readonly string[] = []): string | undefined =>
  Object.keys(json).find((key) => key !== 'type' && !known.includes(key));

export const piLegacyOwn = ownRules('pi-legacy', readView, {
  'no-other-fields': [
    'A line has the fields of its type, and no others.',
    function* ({ agent }) {
      for (const { frame, type, json } of agent) {
        const { assistantMessageEvent: event } = json;
        const own = strange(json, fields.get(type)) ?? strange(dictionaryOf(event), ofUpdates);
        yield { frame, wrong: own === undefined ? null : `${type} has ${own}` };
      }
    },
  ],
});
