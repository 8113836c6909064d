// Rules on the greeting, frames and responses: docs/protocols/pi-server.md 2.1 to 6, 12 and 16.1.
import { isDictionary } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { type ServerRows, shown } from '../view/view.ts';

const everywhere = ['errands', 'session', 'prompt'];
/** Rules on greeting, frames and responses. */
export const frameRows: ServerRows = {
  'ready-first': {
    section: '16.1',
    sentence: 'server_ready comes before any other message.',
    covers: ['event:server_ready'],
    scenarios: everywhere,
    judge: ({ fromServer, isLate }) =>
      each(isLate ? [] : fromServer.slice(0, 1), (line) => (line.json.type === 'server_ready' ? null : shown(line))),
  },
  'frame-object': {
    section: '3.1',
    sentence: 'Every frame of the server is exactly one JSON object.',
    scenarios: everywhere,
    *judge({ frames }) {
      for (const [frame, { by, json, text }] of frames.entries())
        if (by === 'agent') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 100)}` };
    },
  },
  'response-id': {
    section: '5.1',
    sentence:
      'A repetition is answered under the id that it was sent with, if any, and never under that of an earlier command.',
    covers: ['message:response'],
    scenarios: everywhere,
    reads: 'both',
    judge: ({ responses, sentAs, isLate }) =>
      each(
        responses.filter(({ json }) => json.replayed === true && !isLate),
        ({ frame, json }) =>
          json.id === undefined || sentAs(json.id).some((command) => command.frame < frame)
            ? null
            : `nothing was sent as ${JSON.stringify(json.id)}`,
      ),
  },
  'response-command': {
    section: '5',
    sentence: 'A response names the command that was sent under its id.',
    covers: ['message:response'],
    scenarios: everywhere,
    reads: 'both',
    *judge({ responses, sentAs, isLate }) {
      if (isLate) return;
      for (const { frame, json } of responses) {
        const types = sentAs(json.id).map((command) => command.json.type);
        // A frame without a type is answered under another name (docs/protocols/pi-server.md 5.1, 22.3).
        if (json.id === undefined || types.length === 0 || types.some((type) => typeof type !== 'string')) continue;
        const isOne = types.includes(json.command);
        yield { frame, wrong: isOne ? null : `${JSON.stringify(json.command)} was not sent, but ${types.join(', ')}` };
      }
    },
  },
  answered: {
    section: '5.1',
    level: 'SHOULD',
    sentence: 'Every command that has an id has one response with that id.',
    covers: ['message:response'],
    scenarios: everywhere,
    reads: 'both',
    *judge({ sent, responsesTo, sentAs, isComplete, isLate }): Generator<Finding> {
      for (const { frame, json } of sent) {
        if (json.id === undefined) continue;
        const place = sentAs(json.id).findIndex((one) => one.frame === frame);
        const all = responsesTo(json.id);
        const extra = all[sentAs(json.id).length];
        if (all.length > place) yield { frame, wrong: null };
        else if (isComplete) yield { frame, wrong: `${JSON.stringify(json.id)} has no response` };
        if (extra !== undefined && place === 0 && !isLate)
          yield { frame: extra.frame, wrong: `${JSON.stringify(json.id)} is answered again` };
      }
    },
  },
};
