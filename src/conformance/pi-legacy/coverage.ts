// Coverage of the pi-legacy document: headings, message kinds and requirements.
import type { Coverage, CoverageItem } from '../check/inventory.ts';
import { eventTypes, updateTypes } from './shapes/agents.ts';

const named = (prefix: string, names: Iterable<string>): CoverageItem[] =>
  [...names].map((name) => ({ name: `${prefix}:${name}` }));

/** Coverage for both sides of pi-legacy. */
export const piLegacyCoverage: Coverage = {
  document: 'pi-legacy-rpc.md',
  protocols: ['pi-legacy'],
  sections: [
    { name: 'RPC Mode Protocol', reason: 'The title.' },
    { name: 'Starting RPC Mode', reason: 'Flags of the program pi; a target says how it is started.' },
    { name: 'Input Protocol' },
    { name: 'Input Message Types' },
    { name: 'Prompt Message' },
    { name: 'Abort Message' },
    { name: 'Compact Message' },
    { name: 'Output Protocol' },
    { name: 'Event Types Overview' },
    { name: 'Event Schemas' },
    ...eventTypes.map((name) => ({ name })),
    { name: 'Type Definitions', reason: 'Where the types are in the source.' },
    { name: 'Message Types' },
    { name: 'UserMessage' },
    { name: 'UserMessageWithAttachments' },
    { name: 'AssistantMessage' },
    { name: 'ToolResultMessage' },
    { name: 'AppMessage' },
    { name: 'Content Types' },
    { name: 'TextContent' },
    { name: 'ThinkingContent' },
    { name: 'ImageContent' },
    { name: 'ToolCall' },
    { name: 'Attachment' },
    { name: 'Usage' },
    { name: 'StopReason' },
    { name: 'AssistantMessageEvent' },
    { name: 'AgentToolResult' },
    { name: 'Correlating Tool Calls with Results' },
    { name: 'Event Flow' },
    { name: 'Correlation Strategy' },
    { name: 'Display Formatting Example', reason: 'How a client may show what it has; nobody sees it on the wire.' },
    { name: 'Alternative: Using turn_end' },
    { name: 'Example Session' },
    { name: 'Input', reason: 'The prompt of the example.' },
    { name: 'Output Stream' },
    { name: 'Example Client', reason: 'The program of a client; our own one does as much in the tests.' },
  ],
  kinds: [
    ...named('command', ['prompt', 'abort', 'compact']),
    ...named('event', eventTypes),
    ...named('update', updateTypes),
    ...named('content', ['text', 'thinking', 'image', 'toolCall']),
  ],
  sentences: [
    {
      words: 'Each message must be a complete JSON object followed by a newline',
      checks: ['pi-legacy/client/json-lines', 'pi-legacy/bad-line-error'],
    },
    {
      words: 'allows you to guide what the summary should focus on',
      checks: ['pi-legacy/client/compact-fields'],
    },
  ],
};
