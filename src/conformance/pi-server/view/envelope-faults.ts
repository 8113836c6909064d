// Faults that make a command invalid by itself: docs/protocols/pi-server.md 4 and 17. A server must refuse such a
// command, and a client must not send it.
import type { Dictionary } from '../../../core/model/content.ts';

const longestId = 256;
const mostDependencies = 32;
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isName = (value: unknown): boolean => isText(value) && value.length <= longestId;

/**
 * The fault of the fields that all commands share; null without a fault. Size limits are measured
 * (docs/protocols/pi-server.md 4.3, 12.2).
 */
export function envelopeFault({ type, id, dependsOn, ifSessionVersion, idempotencyKey }: Dictionary): string | null {
  if (!isText(type)) return `type must be text and is ${JSON.stringify(type)}`;
  if (id !== undefined && !isName(id)) return `id must be a text of 1 to ${longestId} characters`;
  if (typeof id === 'string' && id.startsWith('anon:')) return "id must not begin with 'anon:'";
  if (idempotencyKey !== undefined && !isName(idempotencyKey))
    return `idempotencyKey must be a text of 1 to ${longestId} characters`;
  if (ifSessionVersion !== undefined && !isVersion(ifSessionVersion))
    return 'ifSessionVersion must be a whole number, 0 or more';
  return dependsOn === undefined ? null : dependencyFault(dependsOn, id);
}

function dependencyFault(dependsOn: unknown, id: unknown): string | null {
  if (!Array.isArray(dependsOn) || !dependsOn.every(isText)) return 'dependsOn must be a list of ids';
  if (dependsOn.length > mostDependencies) return `dependsOn must have ${mostDependencies} at most`;
  return id === undefined && dependsOn.length > 0 ? 'what depends on others needs an id' : null;
}

/** Whether the value is a session version. */
export const isVersion = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
