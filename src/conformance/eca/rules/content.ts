// Rules on contents: the fields of each type, and its role. docs/protocols/eca.md 8.3, 4.
import { isDictionary } from '../../../core/model/dictionary.ts';
import { fields, misfit, type Shape } from '../../check/shape.ts';
import type { EcaRule } from '../view/view.ts';
import { kinds } from './content-kinds.ts';
import { shown } from './values.ts';

const name = 'Chat Content Received';
const turns = ['tool'];

const fileChange = fields({
  type: 'string',
  path: 'string',
  diff: 'string',
  linesAdded: 'number',
  linesRemoved: 'number',
});
const textOutput: Shape = { oneOf: [fields({ text: 'string' }), fields({ content: 'string' })] };

/** `toolCallRun` becomes `tool-call-run`. */
const kebab = (type: string): string => type.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);

const shapes = kinds.map(
  ({ type, basis, sentence, shape, scenarios, more }): EcaRule => ({
    id: `eca/content-${kebab(type)}`,
    section: name,
    level: basis === 'measured' ? 'SHOULD' : 'MUST',
    basis,
    sentence,
    covers: [`content:${type}`],
    scenarios,
    *judge({ contents }) {
      for (const one of contents) {
        if (one.type !== type) continue;
        yield { frame: one.frame, wrong: misfit(one.content, shape, 'content') ?? more?.(one) ?? null };
      }
    },
  }),
);

/** A rule on the role of some content types. */
function speaker(id: string, role: string, types: readonly string[], sentence: string): EcaRule {
  const known = new Set<unknown>(types);
  return {
    id,
    section: name,
    level: 'SHOULD',
    basis: 'measured',
    sentence,
    covers: types.map((type) => `content:${type}`),
    scenarios: turns,
    *judge({ contents }) {
      for (const { frame, type, role: own } of contents)
        if (known.has(type)) yield { frame, wrong: own === role ? null : `${shown(type)} of role ${shown(own)}` };
    },
  };
}

/** Rules on contents. */
export const contentRules: readonly EcaRule[] = [
  {
    id: 'eca/content-envelope',
    section: name,
    level: 'MUST',
    basis: 'specification',
    sentence: 'Each content comes with its chatId, its role and a type.',
    covers: ['notification:chat/contentReceived'],
    scenarios: turns,
    *judge({ contents }) {
      const shape = fields({ chatId: 'string', role: 'string', content: fields({ type: 'string' }) });
      for (const { frame, params } of contents) yield { frame, wrong: misfit(params, shape, 'params') };
    },
  },
  ...shapes,
  {
    id: 'eca/content-outputs',
    section: name,
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'An output of type text has its words as content (the document) or as text (every server).',
    covers: ['content:toolCalled'],
    scenarios: ['tool', 'tool fails'],
    *judge({ contents }) {
      for (const { frame, type, content } of contents) {
        if (type !== 'toolCalled' || !Array.isArray(content.outputs)) continue;
        for (const output of content.outputs)
          if (isDictionary(output) && output.type === 'text')
            yield { frame, wrong: misfit(output, textOutput, 'output') };
      }
    },
  },
  {
    id: 'eca/content-details',
    section: name,
    level: 'MUST',
    basis: 'specification',
    sentence:
      'Details of a call have a type, and those of type fileChange the path, the diff and how many lines it adds and removes.',
    covers: ['details:fileChange', 'content:toolCallRun', 'content:toolCalled', 'content:toolCallRejected'],
    scenarios: ['approve'],
    *judge({ contents }) {
      for (const { frame, content, role } of contents) {
        const { details } = content;
        if (details === undefined || details === null || role !== 'assistant') continue;
        const shape = isDictionary(details) && details.type === 'fileChange' ? fileChange : fields({ type: 'string' });
        yield { frame, wrong: misfit(details, shape, 'details') };
      }
    },
  },
  speaker(
    'eca/role-of-model',
    'assistant',
    [
      'url',
      'reasonStarted',
      'reasonText',
      'reasonFinished',
      'toolCallPrepare',
      'toolCallRun',
      'toolCallRunning',
      'toolCalled',
      'toolCallRejected',
    ],
    'Links, reasons and calls are of the assistant.',
  ),
  speaker(
    'eca/role-of-server',
    'system',
    ['progress', 'usage', 'metadata'],
    'Progress, usage and metadata are of the system.',
  ),
  {
    id: 'eca/role-of-user',
    section: name,
    level: 'MAY',
    basis: 'measured',
    sentence: 'What is of the user are words and images, as far as is known: what was prompted.',
    covers: ['content:text'],
    scenarios: turns,
    *judge({ contents }) {
      for (const { frame, type, role } of contents)
        if (role === 'user')
          yield { frame, wrong: type === 'text' || type === 'image' ? null : `${shown(type)} of the user` };
    },
  },
];
