// Methods by name: those that nobody has, and those that servers may ask. Knows no message.

/** A method that no server and no client has. */
export const nobodys = 'conformance/nobody-has-this';

/** What a server asks only a client that has declared it, and where it does (docs/protocols/eca.md 1.4, 1.5, 2.16). */
export const declared: ReadonlyMap<string, readonly string[]> = new Map([
  ['chat/askQuestion', ['codeAssistant', 'chatCapabilities', 'askQuestion']],
  ['editor/getDiagnostics', ['codeAssistant', 'editor', 'diagnostics']],
  ['editor/getDefinition', ['codeAssistant', 'editor', 'definition']],
  ['editor/getReferences', ['codeAssistant', 'editor', 'references']],
]);
