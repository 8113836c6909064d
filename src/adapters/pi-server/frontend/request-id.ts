// Encodes the ids of dialogs and approvals for the wire, reversibly: clients may return only letters, digits, `:`, `_`
// and `-` (docs/protocols/pi-server.md 18.5), and agents use any ids.

import { approvalPrefix } from '../../pi/frontend/encode-stateless.ts';

const plain = /^[A-Za-z0-9:_-]+$/u;

/** Prefix of an encoded id. An agent's id with this prefix is encoded too. */
const spelled = 'spelled:';

/** The wire id of a dialog or an approval. */
export function requestIdOf(id: string): string {
  if (plain.test(id) && !id.startsWith(spelled)) return id;
  return `${spelled}${spelledIn(id)}`;
}

/**
 * The wire id of a dialog, never in the form of an approval: a client without a subscription cannot tell which one is
 * open.
 */
export function dialogRequestIdOf(id: string): string {
  const [first = ''] = id;
  return id.startsWith(approvalPrefix)
    ? `${spelled}${spell(first)}${spelledIn(id.slice(first.length))}`
    : requestIdOf(id);
}

/** Whether a wire id names an approval. */
export function namesApproval(requestId: string): boolean {
  const name = requestId.startsWith(spelled) ? requestId.slice(spelled.length) : requestId;
  return name.startsWith(approvalPrefix);
}

/** The agent's id for a wire id. */
export function idOf(requestId: string): string {
  return requestId.startsWith(spelled)
    ? requestId.slice(spelled.length).replace(/_([0-9a-f]{1,6})_/gu, read)
    : requestId;
}

function spelledIn(id: string): string {
  return id.replace(/[^A-Za-z0-9:-]/gu, spell);
}

function spell(character: string): string {
  return `_${(character.codePointAt(0) ?? 0).toString(16)}_`;
}

/** Text that no character yields was invented by a client and stays unchanged. */
function read(word: string, hex: string): string {
  const point = Number.parseInt(hex, 16);
  return point > 0x10_ff_ff ? word : String.fromCodePoint(point);
}
