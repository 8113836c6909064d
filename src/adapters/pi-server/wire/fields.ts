// The fields of commands, each with the words that real servers refuse it with (docs/protocols/pi-server.md 4.3, 22.3). Lengths are in
// UTF-16 units, as theirs. Knows no command.
import { z } from 'zod';

/** Longest texts and lists (docs/protocols/pi-server.md 4.3, 12.2). */
export const longest = {
  prompt: 200_000,
  bash: 20_000,
  name: 256,
  id: 256,
  path: 4096,
  dependsOn: 32,
  /** What went wrong, which may quote what somebody sent; all clients are told. */
  error: 8192,
} as const;

/** A text that goes back, cut where it is longer than it has any reason to be. */
export function clipped(text: string, length: number = longest.id): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Before the ids that servers give to commands without one. */
export const reservedPrefix = 'anon:';

type Check = readonly [isWrong: (text: string) => boolean, words: string];

/** A text that must be there. Only the first that is wrong is told. */
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

/** At most so many characters. */
export const atMost = (length: number, what = ''): Check => [
  (text) => text.length > length,
  `${what === '' ? 'Too' : `${what} too`} long (max ${length} chars)`,
];

/** Not that pattern. */
export const never = (pattern: RegExp, says: string): Check => [(text) => pattern.test(text), says];

const ifGiven = 'Must be a non-empty string if provided';

/** What names a command (docs/protocols/pi-server.md 4.1). */
export const CommandId = notBlank(ifGiven, atMost(longest.id), [
  (text) => text.startsWith(reservedPrefix),
  `Cannot use reserved prefix '${reservedPrefix}'`,
]);

/** What makes a repetition of it known (docs/protocols/pi-server.md 8.2). */
export const IdempotencyKey = notBlank(ifGiven, atMost(longest.id));

/** The name of a session that there is. All clients are told of a command's session, so there is a limit to it. */
export const sessionName = (missing: string) => notBlank(missing, atMost(longest.id));

/** The name of a session that is still to be. */
export const NewSessionId = sessionName(ifGiven);

/** What a command that is about no session says of one all the same: nobody looks at it, and all clients are told. */
export const StraySessionId = z.unknown().superRefine((value, context) => {
  const [isWrong, message] = atMost(longest.id);
  if (typeof value === 'string' && isWrong(value)) context.addIssue({ code: 'custom', message });
});

/** What an answer names its question by; both faults are told. */
export const RequestId = z
  .string({ error: 'Required string' })
  .min(1, { error: 'Required string', abort: true })
  .max(longest.id, `Too long (max ${longest.id} chars)`)
  .regex(/^[A-Za-z0-9:_-]+$/u, 'Must contain only alphanumeric characters, colons, underscores, and dashes');

/** Where a stored session is (docs/protocols/pi-server.md 20.2); the rest of the rules needs the file system. */
export const SessionPath = required(atMost(longest.path, 'sessionPath'), [
  (path) => /\.\.|^~|\0/u.test(path),
  'sessionPath contains potentially dangerous path components',
]);

/** The control characters of ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
export const controlCharacters = /[\u0000-\u001f\u007f]/u;

/** A text that need not be there. */
export const optionalText = z.string({ error: 'Must be a string if provided' }).optional();
