// Coverage of the ECA document. Message kinds newer than the document come from real servers (docs/protocols/eca.md 1
// and 4).
import type { Coverage, CoverageItem } from '../check/inventory.ts';

const named = (...names: readonly string[]): CoverageItem[] => names.map((name) => ({ name }));
const frame = 'It only holds the sections below it.';
const soon = 'The document says "Soon", and nothing more.';
const ofUser = 'It is about what a user sees, and not on the wire.';
const background = 'It explains, and asks for nothing.';

/** Coverage of eca-protocol.md. */
export const ecaCoverage: Coverage = {
  document: 'eca-protocol.md',
  protocols: ['eca'],
  sections: [
    { name: 'Base Protocol', reason: frame },
    ...named('Header Part', 'Content Part'),
    { name: 'Example', reason: 'A frame as Header Part and Content Part have it.' },
    { name: 'Lifecycle Messages', reason: frame },
    ...named('Initialize', 'Initialized', 'Shutdown', 'Exit'),
    { name: 'Code Assistant Features', reason: frame },
    ...named('Chat Prompt', 'Chat Content Received', 'Chat approve tool call', 'Chat reject tool call'),
    ...named('Chat Query Context', 'Chat Query Commands', 'Chat stop prompt', 'Chat delete'),
    { name: 'Completion', reason: soon },
    { name: 'Edit', reason: soon },
    { name: 'Configuration', reason: frame },
    ...named('Tool updated', 'Stop MCP server', 'Start MCP server'),
    { name: 'Add MCP', reason: soon },
    { name: 'General features', reason: frame },
    ...named('showMessage'),
  ],
  kinds: [
    ...named('request:initialize', 'notification:initialized', 'request:shutdown', 'notification:exit'),
    ...named('request:chat/prompt', 'notification:chat/contentReceived', 'notification:chat/toolCallApprove'),
    ...named('notification:chat/toolCallReject', 'request:chat/queryContext', 'request:chat/queryCommands'),
    ...named('notification:chat/promptStop', 'request:chat/delete', 'notification:tool/serverUpdated'),
    ...named('notification:mcp/stopServer', 'notification:mcp/startServer', 'notification:$/showMessage'),
    ...named('content:text', 'content:progress', 'content:usage', 'content:url'),
    ...named('content:reasonStarted', 'content:reasonText', 'content:reasonFinished'),
    ...named('content:toolCallPrepare', 'content:toolCallRun', 'content:toolCalled', 'content:toolCallRejected'),
    ...named('details:fileChange', 'server:native', 'server:mcp'),
    ...named('context:file', 'context:directory', 'context:web', 'context:repoMap', 'context:mcpResource'),
    // Newer than the document: docs/protocols/eca.md 1.4, 1.5.
    ...named('content:toolCallRunning', 'content:metadata', 'content:image', 'notification:config/updated'),
    ...named('notification:$/progress', 'notification:chat/statusChanged', 'notification:chat/opened'),
    ...named('notification:chat/cleared', 'notification:chat/deleted'),
  ],
  sentences: [
    {
      words: 'two \\r\\n sequences always immediately precede the content part',
      checks: ['eca/frames-readable', 'eca/frame-in-pieces', 'eca/client/frames-readable'],
    },
    { words: 'This header is required.', checks: ['eca/frames-readable', 'eca/client/frames-readable'] },
    { words: 'a header with a different encoding than utf-8', checks: ['eca/other-charset'] },
    { words: 'Should be sent after a shutdown request', checks: ['eca/client/exit-after-shutdown'] },
    { words: 'clients should reset chat UI to a clean state', reason: ofUser },
    { words: 'then the server should exit', checks: ['eca/parent-process'] },
    {
      words: 'it should send a single workspaceFolder with the project root',
      checks: ['eca/client/initialize-a-folder', 'eca/client/initialize-folders'],
    },
    { words: 'Different models may have different capabilities', reason: background },
    {
      words: 'Clients should include this to chat by default',
      reason: 'Users may exclude it, so that it is missing shows nothing; none of the real editors sends it by itself.',
    },
    { words: 'Clients may use this to present different UX', reason: ofUser },
    { words: 'final request that LLM may trigger', reason: background },
  ],
};
