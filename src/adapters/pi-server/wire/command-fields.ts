// The fields of commands, each with the error text of real servers (docs/protocols/pi-server.md 4.3, 22.3). Lengths are
// in UTF-16 units, as in real servers.
import { z } from 'zod';

/** Maximum lengths of texts and lists (docs/protocols/pi-server.md 4.3, 12.2). */
export const longest = {
  prompt: 200_000,
  bash: 20_000,
  name: 256,
  id: 256,
  path: 4096,
  dependsOn: 32,
  /** An error text, which may quote a client's input and goes to all clients. */
  error: 8192,
} as const;

/** An echoed text, cut to a maximum length. */
export function clipped(text: string, length: number = longest.id): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The prefix of ids that servers give to commands without one. */
export const reservedPrefix = 'anon:';

type Check = readonly [isWrong: (text: string) => boolean, words: string];

/** A required text. Reports only the first failed check. */
function words(missing: string, ...checks: readonly Check[]) {
  return z.string({ error: missing }).superRefine((text, context) => {
    const wrong = checks.find(([isWrong]) => isWrong(text));
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong[1] });
  });
}

const isBlank = (text: string) => text.trim() === '';
const isEmpty = (text: string) => text === '';

/** A text that must not be blank. */
export const notBlank = (missing: string, ...checks: readonly Check[]) => words(missing, [isBlank, missing], ...checks);

/** A text that must not be empty. */
export const required = (...checks: readonly Check[]) =>
  words('Required string', [isEmpty, 'Required string'], ...checks);

/** At most `length` characters. */
export const atMost = (length: number, what = ''): Check => [
  (text) => text.length > length,
  `${what === '' ? 'Too' : `${what} too`} long (max ${length} chars)`,
];

/** Must not match the pattern. */
export const never = (pattern: RegExp, says: string): Check => [(text) => pattern.test(text), says];

const ifGiven = 'Must be a non-empty string if provided';

/** The id of a command (docs/protocols/pi-server.md 4.1). */
export const CommandId = notBlank(ifGiven, atMost(longest.id), [
  (text) => text.startsWith(reservedPrefix),
  `Cannot use reserved prefix '${reservedPrefix}'`,
]);

/** The key that identifies repetitions of a command (docs/protocols/pi-server.md 8.2). */
export const IdempotencyKey = notBlank(ifGiven, atMost(longest.id));

/**
 * The id of an existing session. Limited in length, because broadcasts repeat the session of a command to all clients.
 */
export const sessionName = (missing: string) => notBlank(missing, atMost(longest.id));

/** The id of a new session. */
export const NewSessionId = sessionName(ifGiven);

/** A session id in a command that needs none. The id is not used, but goes to all clients. */
export const StraySessionId = z.unknown().superRefine((value, context) => {
  const [isWrong, message] = atMost(longest.id);
  if (typeof value === 'string' && isWrong(value)) context.addIssue({ code: 'custom', message });
});

/** The dialog id of an answer. Both errors are reported. */
export const RequestId = z
  .string({ error: 'Required string' })
  .min(1, { error: 'Required string', abort: true })
  .max(longest.id, `Too long (max ${longest.id} chars)`)
  .regex(/^[A-Za-z0-9:_-]+$/u, 'Must contain only alphanumeric characters, colons, underscores, and dashes');

/** The path of a stored session (docs/protocols/pi-server.md 20.2). The other rules need the file system. */
export const SessionPath = required(atMost(longest.path, 'sessionPath'), [
  (path) => /\.\.|^~|\0/u.test(path),
  'sessionPath contains potentially dangerous path components',
]);

/** The control characters of ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const controlCharacters = /[\u0000-\u001f\u007f]/u;

/** An optional text. */
export const optionalText = z.string({ error: 'Must be a string if provided' }).optional();
