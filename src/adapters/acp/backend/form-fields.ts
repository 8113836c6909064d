// The fields of an agent's form, each as a dialog, and an answer to the dialog as the value of the field (docs/protocols/acp.md 6.55).
import type { CommandOf } from '../../../core/model/command.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { ElicitationParams, FormProperty } from '../wire/agent.ts';

/** A field that the user is asked for. */
export interface FormField {
  readonly name: string;
  readonly property: FormProperty;
  /** The field beside this one that takes words which are no choice of this one. */
  readonly other: string | undefined;
}

type Dialog = Pick<EventOf<'dialog-request'>, 'kind' | 'title' | 'message' | 'options' | 'prefill' | 'placeholder'>;
type Schema = ElicitationParams['requestedSchema'];

/** The most fields of one form that are asked for. */
const mostFields = 16;

const isText = ({ type }: FormProperty) => type === 'string' || type === 'number' || type === 'integer';
const isPlainText = (property: FormProperty) => property.type === 'string' && choicesIn(property).length === 0;

/**
 * The fields to ask for: the required ones, or all if none is required. claude and codex put a free text beside each list
 * of choices, under its name with a suffix: that text is not asked for. Null: a field cannot be asked for.
 */
export function fieldsIn(schema: Schema): readonly FormField[] | null {
  const all = Object.entries(schema?.properties ?? {});
  const required = new Set(schema?.required ?? []);
  const isBeside = (name: string, choice: string) => name !== choice && name.startsWith(choice) && !required.has(name);
  const others = new Map<string, string>();
  for (const [choice, property] of all) {
    if (choicesIn(property).length === 0) continue;
    const beside = all.find(([name, text]) => isBeside(name, choice) && isPlainText(text));
    if (beside !== undefined) others.set(choice, beside[0]);
  }
  const besides = new Set(others.values());
  const isAsked = (name: string) => (required.size > 0 ? required.has(name) : !besides.has(name));
  const fields = all.flatMap(([name, property]) =>
    isAsked(name) ? [{ name, property, other: others.get(name) }] : [],
  );
  const canAsk = ({ property }: FormField) =>
    property.type === 'boolean' || isText(property) || (property.type === 'array' && choicesIn(property).length > 0);
  return fields.length > 0 && fields.length <= mostFields && fields.every(canAsk) ? fields : null;
}

/** The dialog that asks for one field. `message`: the words of the form; a form with several fields says them once. */
export function dialogFor({ name, property }: FormField, message: string): Dialog {
  const { type, title, description, default: preset } = property;
  const words = [...new Set([message, title ?? '', description ?? ''])].filter((text) => text !== '');
  const [first = name, ...rest] = words;
  if (type === 'boolean') {
    return { kind: 'confirm', title: first, ...(rest.length === 0 ? {} : { message: rest.join('\n') }) };
  }
  const titles = choicesIn(property).map((choice) => choice.title);
  // Clients show the title of a list and of an input line, and not all of them the message.
  const asked = [first, ...rest].join('\n');
  if (type === 'string' && titles.length > 0) return { kind: 'select', title: asked, options: titles };
  if (type === 'array') {
    const list = titles.join(', ');
    return { kind: 'input', title: `${asked}\nAny of these, with commas between: ${list}`, placeholder: list };
  }
  const isPreset = typeof preset === 'string' || typeof preset === 'number';
  return { kind: 'input', title: asked, ...(isPreset ? { prefill: `${preset}` } : {}) };
}

/** The answer as values of the form, by field; undefined: it does not fit the field. */
export function valuesOf(
  answer: CommandOf<'answer-dialog'>['answer'],
  { name, property, other }: FormField,
): Readonly<Record<string, unknown>> | undefined {
  const { type } = property;
  if (answer.kind === 'confirmed') return type === 'boolean' ? { [name]: answer.confirmed } : undefined;
  if (answer.kind !== 'value') return undefined;
  const { value } = answer;
  const inWords = () => (other === undefined ? undefined : { [other]: value });
  if (type === 'array') {
    const chosen = chosenIn(value, property);
    return chosen === null ? inWords() : { [name]: chosen };
  }
  if (choicesIn(property).length > 0) {
    const [choice] = chosenIn(value, property, [value]) ?? [];
    return choice === undefined ? inWords() : { [name]: choice };
  }
  if (type === 'string') return { [name]: value };
  const figure = Number(value);
  return Number.isFinite(figure) && value.trim() !== '' ? { [name]: figure } : undefined;
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The choices of a field: of one of them, or of several. */
function choicesIn({ type, enum: values, oneOf, items }: FormProperty): Choice[] {
  const of = type === 'array' ? items : { enum: values, anyOf: oneOf };
  if (of?.anyOf) return of.anyOf.map(({ const: value, title }) => ({ value, title: title ?? value }));
  return (of?.enum ?? []).map((value) => ({ value, title: value }));
}

/** The values of the choices that are named; null if one of the names is that of no choice. */
function chosenIn(said: string, property: FormProperty, names = namesIn(said)): string[] | null {
  const choices = choicesIn(property);
  const choiceOf = (name: string) => choices.find(({ value, title }) => value === name || title === name)?.value;
  const whole = choiceOf(said.trim());
  if (whole !== undefined) return [whole];
  const chosen = names.map(choiceOf);
  return chosen.every((one) => one !== undefined) ? chosen : null;
}

function namesIn(said: string): string[] {
  return said.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
