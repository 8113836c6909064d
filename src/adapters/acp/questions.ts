// Questions of a session on the wire: their ids, their options, and what an answer means. The projection writes them, the
// connection reads the answers (docs/protocols/acp.md 4.44, 6.55, 9.62, 9.64).
import type { CommandOf } from '../../core/model/command.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { Dialect } from './frontend/dialect.ts';
import { PermissionOption } from './wire/agent.ts';

type Approval = EventOf<'approval-request'>;
type Dialog = EventOf<'dialog-request'>;
type DialogAnswer = CommandOf<'answer-dialog'>['answer'];

/** How the ids of all questions begin. */
export const questionPrefix = 'ask-';

const pattern = /^ask-([ad])-(\d{1,4})-(.*)$/su;

/** The id of the request that puts a question. Includes the session: two sessions may have questions of one id. */
export function questionId(kind: 'approval' | 'dialog', session: string, id: string): string {
  return `${questionPrefix}${kind === 'approval' ? 'a' : 'd'}-${session.length}-${session}-${id}`;
}

/** A question that a client was asked. */
export interface AskedQuestion {
  readonly kind: 'approval' | 'dialog';
  readonly session: string;
  readonly id: string;
}

/** Reads the id of a question; undefined for any other id. */
export function readQuestionId(id: unknown): AskedQuestion | undefined {
  const [, kind, length = '', rest = ''] = (typeof id === 'string' ? pattern.exec(id) : null) ?? [];
  const end = Number(length);
  if (kind === undefined || rest[end] !== '-') return undefined;
  return { kind: kind === 'a' ? 'approval' : 'dialog', session: rest.slice(0, end), id: rest.slice(end + 1) };
}

/** An option of a question for permission, and what it means when a user chooses it. */
export interface Offer {
  readonly wire: { readonly optionId: string; readonly name: string; readonly kind: string };
  readonly answer: Omit<CommandOf<'answer-approval'>, 'type' | 'id'>;
}

/** The options of an ACP agent, as it named them: a client may have its own words for their ids. */
function agentOffers({ suggestions = [], extra }: Approval): Offer[] {
  const { options } = dictionaryOf(extra?.acp);
  const read = Array.isArray(options) ? options.map((one) => PermissionOption.safeParse(one).data) : [];
  return read.flatMap((option) => {
    if (option === undefined || typeof option.kind !== 'string') return [];
    const { optionId, kind } = option;
    const remember = suggestions.filter((one) => isDictionary(one) && one.optionId === optionId);
    const decision = kind.startsWith('allow') ? 'allow' : 'deny';
    const wire = { optionId, name: option.name ?? optionId, kind };
    return [{ wire, answer: { decision, ...(remember.length === 0 ? {} : { remember }) } } satisfies Offer];
  });
}

/** The words for a standing permission, whatever its protocol. */
function wordsOf(suggestion: unknown, name: string): string {
  const { title, rules, destination } = dictionaryOf(suggestion);
  if (typeof title === 'string' && title !== '') return title;
  const [rule] = Array.isArray(rules) ? rules.map(dictionaryOf) : [];
  const what = typeof rule?.ruleContent === 'string' ? `${name} ${rule.ruleContent}` : name;
  const where = typeof destination === 'string' && destination !== 'session' ? '' : ' in this session';
  return `Always allow ${what}${where}`.slice(0, 120);
}

/** All options of a question for permission. */
export function offersOf(approval: Approval): Offer[] {
  const theirs = agentOffers(approval);
  if (theirs.length > 0) return theirs;
  const { name, suggestions = [] } = approval;
  const standing: Offer[] =
    suggestions.length === 0
      ? [
          {
            wire: { optionId: 'allow-session', name: `Always allow ${name} in this session`, kind: 'allow_always' },
            answer: { decision: 'allow', forSession: true },
          },
        ]
      : suggestions.map((suggestion, at) => ({
          wire: { optionId: `allow-always-${at}`, name: wordsOf(suggestion, name), kind: 'allow_always' },
          answer: { decision: 'allow', remember: [suggestion] },
        }));
  return [
    { wire: { optionId: 'allow', name: 'Allow', kind: 'allow_once' }, answer: { decision: 'allow' } },
    ...standing,
    { wire: { optionId: 'reject', name: 'Reject', kind: 'reject_once' }, answer: { decision: 'deny' } },
  ];
}

/** How a dialog is put to a client; null if the client cannot be asked. */
export function dialogForm(
  { kind, options = [] }: Dialog,
  { forms }: Pick<Dialect, 'forms'>,
): 'form' | 'permission' | null {
  if (kind === 'interview') return null;
  if (forms) return 'form';
  return kind === 'confirm' || (kind === 'select' && options.length > 0) ? 'permission' : null;
}

/** The field of every form. */
export const formField = 'answer';

/** The schema of the form for a dialog. */
export function formSchema({ kind, options = [], prefill, placeholder, title }: Dialog): object {
  const head = { title, ...(placeholder === undefined ? {} : { description: placeholder }) };
  const property =
    kind === 'confirm'
      ? { type: 'boolean', ...head }
      : {
          type: 'string',
          ...head,
          ...(kind === 'select' ? { enum: options } : {}),
          ...(prefill === undefined ? {} : { default: prefill }),
        };
  return { type: 'object', properties: { [formField]: property }, required: [formField] };
}

/** The answer in a filled form. */
export function formAnswer(action: string, content: unknown): DialogAnswer {
  const value = dictionaryOf(content)[formField];
  if (action === 'decline') return { kind: 'cancelled' };
  if (action !== 'accept' || value === undefined || value === null) return { kind: 'cancelled' };
  return typeof value === 'boolean' ? { kind: 'confirmed', confirmed: value } : { kind: 'value', value: String(value) };
}

/** The options of a dialog that is put as a question for permission; the ids count from 0. */
export function dialogOptions({ kind, options = [] }: Dialog): readonly Offer['wire'][] {
  if (kind !== 'confirm') return options.map((name, at) => ({ optionId: `${at}`, name, kind: 'allow_once' }));
  return [
    { optionId: '0', name: 'Yes', kind: 'allow_once' },
    { optionId: '1', name: 'No', kind: 'reject_once' },
  ];
}

/** The answer to such a question. */
export function chosenAnswer(dialog: Dialog, optionId: string | undefined): DialogAnswer {
  if (dialog.kind === 'confirm') {
    return optionId === undefined ? { kind: 'cancelled' } : { kind: 'confirmed', confirmed: optionId === '0' };
  }
  const value = dialog.options?.[Number(optionId ?? Number.NaN)];
  return value === undefined ? { kind: 'cancelled' } : { kind: 'value', value };
}
