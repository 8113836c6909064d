// Method names: one that nobody implements, and those that need a declared capability.

/** A method that no server and no client implements. */
export const nobodys = 'conformance/nobody-has-this';

/**
 * Methods that a server may call only when the client declares the capability, with the path of the capability
 * (docs/protocols/eca.md 1.4, 1.5, 2.16).
 */
export const declared: ReadonlyMap<string, readonly string[]> = new Map([
  ['chat/askQuestion', ['codeAssistant', 'chatCapabilities', 'askQuestion']],
  ['editor/getDiagnostics', ['codeAssistant', 'editor', 'diagnostics']],
  ['editor/getDefinition', ['codeAssistant', 'editor', 'definition']],
  ['editor/getReferences', ['codeAssistant', 'editor', 'references']],
]);
