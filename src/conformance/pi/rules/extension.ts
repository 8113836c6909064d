// Rules on the ids and answers of the extension UI sub-protocol (docs/protocols/pi.md 12).
import { dialogMethods } from '../view/client-view.ts';
import type { PiRows } from '../view/view.ts';

/** Rules on requests of extensions. */
export const extensionRows: PiRows = {
  'ui-id-unique': {
    isMeasured: true,
    section: 'Extension UI Request Format',
    sentence: 'No two questions have the same id.',
    covers: ['event:extension_ui_request'],
    scenarios: ['dialogs'],
    *judge(view) {
      const ids = new Set<unknown>();
      for (const { frame, json } of view.of('extension_ui_request')) {
        if (!dialogMethods.some((method) => method === json.method)) continue;
        yield { frame, wrong: ids.has(json.id) ? `${JSON.stringify(json.id)} was the id of another one` : null };
        ids.add(json.id);
      }
    },
  },
  'ui-response-silent': {
    isMeasured: true,
    reads: 'both',
    section: 'Extension UI Response Format',
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
};
