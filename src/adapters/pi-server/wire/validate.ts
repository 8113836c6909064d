// Validates a command and reports all errors in one sentence, worded and ordered as by real servers
// (docs/protocols/pi-server.md 22.3).
import type { z } from 'zod';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { clipped } from './command-fields.ts';
import { Identity, Precondition, SessionTarget, serverCommands, sessionCommands } from './commands.ts';

/** Command schemas by type. A Map, so that names of `Object.prototype` do not match. */
const schemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ...Object.entries(serverCommands),
  ...Object.entries(sessionCommands),
]);

/** Whether a command is a session command (docs/protocols/pi-server.md 17.2), which may have a precondition. */
function isForSession(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(sessionCommands, type);
}

/** The errors in a JSON value. Empty for a valid command. */
export function faultsIn(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return ['root: Command must be an object'];
  // As in real servers, an array is an object without a type.
  const line = isDictionary(json) ? json : {};
  const { type } = line;
  const schema = typeof type === 'string' ? schemas.get(type) : undefined;
  return [
    ...(typeof type === 'string' && type !== '' ? [] : ["type: Command must have a string 'type' field"]),
    ...complaints(Identity, line),
    ...(lacksId(line) ? ['id: Required when dependsOn is provided'] : []),
    ...complaints(Precondition, line),
    ...(typeof type === 'string' && schema === undefined ? [`type: Unknown command type '${clipped(type)}'`] : []),
    ...(isForSession(type) ? complaints(SessionTarget, line) : []),
    ...(isMisplaced(line) ? ['ifSessionVersion: Only supported for session-targeted commands'] : []),
    ...(schema === undefined ? [] : complaints(schema, line)),
  ];
}

function lacksId({ id, dependsOn }: Dictionary): boolean {
  return Array.isArray(dependsOn) && dependsOn.length > 0 && typeof id !== 'string';
}

function isMisplaced(line: Dictionary): boolean {
  const { type } = line;
  return 'ifSessionVersion' in line && typeof type === 'string' && !isForSession(type) && type !== 'delete_session';
}

/** One text for each issue: `dependsOn[0]: …`. */
function complaints(schema: z.ZodType, line: Dictionary): string[] {
  const issues = schema.safeParse(line).error?.issues ?? [];
  return issues.map(({ path, message }) => `${placeOf(path)}: ${message}`);
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
