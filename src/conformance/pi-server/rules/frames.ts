// Rules on the greeting, frames and responses: docs/protocols/pi-server.md 2.1 to 6, 12 and 16.1.
import { isDictionary } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { isVersion } from '../view/envelope-faults.ts';
import { type ServerRule, shown } from '../view/view.ts';

const everywhere = ['errands', 'session', 'prompt'];
const greeting = fields({ serverVersion: 'string', protocolVersion: 'string', transports: ['string'] });
const semantic = /^\d+\.\d+\.\d+(?:[-+].*)?$/u;

/** Rules on greeting, frames and responses. */
export const frameRules: readonly ServerRule[] = [
  {
    id: 'pi-server/ready-first',
    section: '16.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'server_ready comes before any other message.',
    covers: ['event:server_ready'],
    scenarios: everywhere,
    judge: ({ fromServer, isLate }) =>
      each(isLate ? [] : fromServer.slice(0, 1), (line) => (line.json.type === 'server_ready' ? null : shown(line))),
  },
  {
    id: 'pi-server/ready-data',
    section: '16.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'server_ready tells the versions of server and protocol, and the transports.',
    covers: ['event:server_ready'],
    scenarios: everywhere,
    judge: ({ fromServer }) =>
      each(
        fromServer.filter(({ json }) => json.type === 'server_ready'),
        ({ json }) => misfit(json.data, greeting),
      ),
  },
  {
    id: 'pi-server/ready-version',
    section: '2.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'The version of the protocol is MAJOR.MINOR.PATCH.',
    covers: ['event:server_ready'],
    scenarios: everywhere,
    *judge({ fromServer }) {
      for (const { frame, json } of fromServer) {
        if (json.type !== 'server_ready') continue;
        const version = isDictionary(json.data) ? json.data.protocolVersion : undefined;
        const isOne = typeof version === 'string' && semantic.test(version);
        yield { frame, wrong: isOne ? null : `protocolVersion is ${JSON.stringify(version)}` };
      }
    },
  },
  {
    id: 'pi-server/frame-object',
    section: '3.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Every frame of the server is exactly one JSON object.',
    scenarios: everywhere,
    *judge({ frames }) {
      for (const [frame, { by, json, text }] of frames.entries())
        if (by === 'agent') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 100)}` };
    },
  },
  {
    id: 'pi-server/frame-type',
    section: '6',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Every frame says of which kind it is.',
    scenarios: everywhere,
    judge: ({ fromServer }) =>
      each(fromServer, (line) => (typeof line.json.type === 'string' ? null : `there is no type: ${shown(line)}`)),
  },
  {
    id: 'pi-server/response-shape',
    section: '5',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A response names its command and says whether it succeeded.',
    covers: ['message:response'],
    scenarios: everywhere,
    judge: ({ responses }) => each(responses, ({ json }) => misfit(json, responseShape, 'response')),
  },
  {
    id: 'pi-server/response-optional',
    section: '5',
    level: 'MUST',
    basis: 'specification',
    sentence:
      'What a response may have besides is as it should be: sessionVersion counts, replayed and timedOut are true.',
    covers: ['message:response'],
    scenarios: everywhere,
    judge: ({ responses }) =>
      each(responses, ({ json: { sessionVersion, replayed, timedOut } }) => {
        if (sessionVersion !== undefined && !isVersion(sessionVersion))
          return `sessionVersion is ${JSON.stringify(sessionVersion)}`;
        if (replayed !== undefined && replayed !== true) return `replayed is ${JSON.stringify(replayed)}`;
        return timedOut === undefined || timedOut === true ? null : `timedOut is ${JSON.stringify(timedOut)}`;
      }),
  },
  {
    id: 'pi-server/response-error',
    section: '12',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A failure has an error to read; a success has none.',
    covers: ['message:response'],
    scenarios: everywhere,
    judge: ({ responses }) =>
      each(responses, ({ json: { success, error } }) => {
        if (success === true) return error === undefined ? null : 'a success has an error';
        return typeof error === 'string' && error !== '' ? null : 'a failure has no error';
      }),
  },
  {
    id: 'pi-server/failure-bare',
    section: '12',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A failure has neither data nor a sessionVersion.',
    covers: ['message:response'],
    scenarios: everywhere,
    judge: ({ responses }) =>
      each(
        responses.filter(({ json }) => json.success === false),
        ({ json }) => {
          const found = ['data', 'sessionVersion'].find((name) => json[name] !== undefined);
          return found === undefined ? null : `a failure has ${found}`;
        },
      ),
  },
  {
    id: 'pi-server/response-id',
    section: '5.1',
    level: 'MUST',
    basis: 'specification',
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
  {
    id: 'pi-server/response-command',
    section: '5',
    level: 'MUST',
    basis: 'specification',
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
  {
    id: 'pi-server/answered',
    section: '5.1',
    level: 'SHOULD',
    basis: 'specification',
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
];

const responseShape = fields({ command: 'string', success: 'boolean' });
