// Base64 as RFC 4648 section 4 has it: whole groups of four letters, the last one padded.
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/** The fault in a text that a peer sent as base64; null for a right one. An empty text is a fault as well. */
export function base64Fault(text: string): string | null {
  return text !== '' && base64.test(text) ? null : `no base64: ${text.slice(0, 40)}`;
}
