// The ids of questions on the wire: clients may only send letters, digits, `:`, `_` and `-` back (docs/protocols/pi-server.md 18.5),
// and agents name their questions as they like. Pure; reversible.

import { approvalPrefix } from '../../pi/frontend/lines.ts';

const plain = /^[A-Za-z0-9:_-]+$/u;

/** Before an id that had to be spelled out: no id of an agent that begins so is left as it is. */
const spelled = 'spelled:';

/** How a question is called on the wire. */
export function requestIdOf(id: string): string {
  if (plain.test(id) && !id.startsWith(spelled)) return id;
  return `${spelled}${spelledIn(id)}`;
}

/** The same for a dialog, which is never called like an approval: who answers may not know which of them is open. */
export function dialogRequestIdOf(id: string): string {
  const [first = ''] = id;
  return id.startsWith(approvalPrefix)
    ? `${spelled}${spell(first)}${spelledIn(id.slice(first.length))}`
    : requestIdOf(id);
}

/** Whether the question of that name is an approval, if there is one. */
export function namesApproval(requestId: string): boolean {
  const name = requestId.startsWith(spelled) ? requestId.slice(spelled.length) : requestId;
  return name.startsWith(approvalPrefix);
}

/** What an agent calls the question of that name. */
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

/** What no character has is a client's own invention, and stays. */
function read(word: string, hex: string): string {
  const point = Number.parseInt(hex, 16);
  return point > 0x10_ff_ff ? word : String.fromCodePoint(point);
}
