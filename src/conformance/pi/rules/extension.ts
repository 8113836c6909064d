// Rules on the extension UI sub-protocol (docs/protocols/pi.md 12): dialogs and notices. Unknown methods of newer
// versions pass.
import { each, type Rule } from '../../check/rule.ts';
import { fields, misfit, type Shape } from '../../check/shape.ts';
import type { PiView } from '../view/view.ts';

type PiRule = Rule<PiView>;

const must = { level: 'MUST', basis: 'specification' } as const;
const request = 'extension_ui_request';
const texts: Shape = ['string'];

interface Method {
  readonly method: string;
  readonly sentence: string;
  readonly scenario: string;
  readonly shape: Shape;
}

const dialogs: readonly Method[] = [
  {
    method: 'select',
    sentence: 'select has a title, options, and perhaps a timeout.',
    scenario: 'dialogs',
    shape: fields({ title: 'string', options: texts, 'timeout?': 'number' }),
  },
  {
    method: 'confirm',
    sentence: 'confirm has a title, a message, and perhaps a timeout.',
    scenario: 'dialogs',
    shape: fields({ title: 'string', message: 'string', 'timeout?': 'number' }),
  },
  {
    method: 'input',
    sentence: 'input has a title, and perhaps a placeholder and a timeout.',
    scenario: 'dialogs',
    shape: fields({ title: 'string', 'placeholder?': 'string', 'timeout?': 'number' }),
  },
  {
    method: 'editor',
    sentence: 'editor has a title, and perhaps words to begin with.',
    scenario: 'dialogs',
    shape: fields({ title: 'string', 'prefill?': 'string' }),
  },
];

const displays: readonly Method[] = [
  {
    method: 'notify',
    sentence: 'notify has a message, and perhaps says how bad it is.',
    scenario: 'notices',
    shape: fields({ message: 'string', 'notifyType?': 'string' }),
  },
  {
    method: 'setStatus',
    sentence: 'setStatus has a key, and a text unless it clears.',
    scenario: 'displays',
    shape: fields({ statusKey: 'string', 'statusText?': 'string' }),
  },
  {
    method: 'setWidget',
    sentence: 'setWidget has a key, and lines unless it clears.',
    scenario: 'displays',
    shape: fields({ widgetKey: 'string', 'widgetLines?': texts, 'widgetPlacement?': 'string' }),
  },
  {
    method: 'setTitle',
    sentence: 'setTitle has a title.',
    scenario: 'displays',
    shape: fields({ title: 'string' }),
  },
  {
    method: 'set_editor_text',
    sentence: 'set_editor_text has a text.',
    scenario: 'displays',
    shape: fields({ text: 'string' }),
  },
];

const isDialog: ReadonlySet<unknown> = new Set(dialogs.map(({ method }) => method));
const levels: ReadonlySet<unknown> = new Set([undefined, 'info', 'warning', 'error']);

const ruleOf =
  (section: string) =>
  ({ method, sentence, scenario, shape }: Method): PiRule => ({
    ...must,
    id: `pi/ui-${method.replaceAll('_', '-').replaceAll(/[A-Z]/gu, (capital) => `-${capital.toLowerCase()}`)}`,
    section,
    sentence,
    covers: [`ui:${method}`],
    scenarios: [scenario],
    judge: (view) =>
      each(
        view.of(request).filter(({ json }) => json.method === method),
        ({ json }) => misfit(json, shape, method),
      ),
  });

/** Rules on requests of extensions. */
export const extensionRules: readonly PiRule[] = [
  {
    ...must,
    id: 'pi/ui-request',
    section: 'Extension UI Request Format',
    sentence: 'A request of an extension has an id and a method.',
    covers: ['event:extension_ui_request'],
    scenarios: ['dialogs', 'notices'],
    judge: (view) =>
      each(view.of(request), ({ json }) => misfit(json, fields({ id: 'string', method: 'string' }), request)),
  },
  {
    ...must,
    id: 'pi/ui-id-unique',
    section: 'Extension UI Request Format',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'No two questions have the same id.',
    covers: ['event:extension_ui_request'],
    scenarios: ['dialogs'],
    *judge(view) {
      const ids = new Set<unknown>();
      for (const { frame, json } of view.of(request)) {
        if (!isDialog.has(json.method)) continue;
        yield { frame, wrong: ids.has(json.id) ? `${JSON.stringify(json.id)} was the id of another one` : null };
        ids.add(json.id);
      }
    },
  },
  ...dialogs.map(ruleOf('Dialog Methods (require response)')),
  ...displays.map(ruleOf('Fire-and-Forget Methods (no response needed)')),
  {
    ...must,
    id: 'pi/ui-notify-type',
    // Newer versions may know more values.
    level: 'MAY',
    section: 'Fire-and-Forget Methods (no response needed)',
    sentence: 'A notifyType is info, warning or error.',
    covers: ['ui:notify'],
    scenarios: ['notices'],
    judge: (view) =>
      each(
        view.of(request).filter(({ json }) => json.method === 'notify'),
        ({ json }) => (levels.has(json.notifyType) ? null : `notifyType is ${JSON.stringify(json.notifyType)}`),
      ),
  },
  {
    ...must,
    id: 'pi/ui-response-silent',
    reads: 'both',
    section: 'Extension UI Response Format',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'The answer to a request of an extension has no response, whether its id is known or not.',
    covers: ['command:extension_ui_response'],
    scenarios: ['dialogs', 'odd', 'odd lines'],
    *judge({ replies, answers, commands }) {
      for (const { frame, json } of replies) {
        const isOf = (answer: (typeof answers)[number]) =>
          answer.frame > frame &&
          (answer.json.command === 'extension_ui_response' ||
            (answer.command === null && json.id !== undefined && answer.json.id === json.id));
        const found = commands.some((one) => one.json?.id === json.id) ? undefined : answers.find(isOf);
        yield { frame: found?.frame ?? frame, wrong: found === undefined ? null : 'a response to an answer' };
      }
    },
  },
  {
    ...must,
    id: 'pi/extension-error',
    section: 'Extension UI Sub-protocol',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'extension_error has the extension, the event and the error.',
    covers: ['event:extension_error'],
    scenarios: ['extension fails', 'notices'],
    judge: (view) =>
      each(view.of('extension_error'), ({ json }) =>
        misfit(json, fields({ extensionPath: 'string', event: 'string', error: 'string' }), 'extension_error'),
      ),
  },
];
