// Mutants of clients that break no sentence, and why. Read before you add one: a reason is a claim about the specification.
import { anyWay, field, type Reason } from './reason.ts';

const decides =
  'The agent decides: one that does not know the word refuses it, and then a rule notices. Here its answer stays as it was.';
const words = 'The words, names and settings are the user’s.';
const optional = 'The field may be left out.';
const name = 'A client calls itself, and says of itself, what it likes.';

/** All of them. */
export const clientReasons: readonly Reason[] = [
  { pattern: /^drop \S+$/u, why: 'No client must ask for anything, nor answer what the agent went on without.' },
  {
    pattern: /^duplicate (?:abort|compact|user:text|chat\/promptStop|mcp\/stopServer|session\/cancel)$/u,
    why: 'The same may be said twice, where it has no id of its own.',
  },
  {
    pattern: /^swap (?!initialize|connect)\S+ and \S+$/u,
    why: 'What does not build on each other may be asked, and answered, in any order.',
  },
  {
    pattern: field(
      'other|truncate',
      ...[
        'type',
        'method',
        'subtype',
        'streamingBehavior',
        'mode',
        'sessionId',
        'provider',
        'modelId',
        'request\\.model',
      ],
      ...['entryId', 'params\\.chatId', 'params'],
    ),
    protocols: ['pi', 'pi-server', 'claude', 'rpc-message', 'eca'],
    why: decides,
  },
  { pattern: /^(?:remove|null) prompt streamingBehavior$/u, protocols: ['pi'], why: decides },
  {
    pattern: /^(?:other|truncate) \S+ (?:id|request_id|params\.requestId|attachments\.\[\]\.id)$/u,
    why: 'An id is its sender’s: any that is not in use would do.',
  },
  {
    pattern: /^(?:retype|null|other) \S+ (?:id|params\.requestId)$/u,
    protocols: ['eca', 'acp'],
    why: 'The id of a request is a text or a number, and in ACP may be null.',
  },
  { pattern: field('remove', 'id'), protocols: ['pi', 'pi-server'], why: optional },
  {
    pattern: field(
      'other|truncate|remove|null',
      ...[
        'message',
        'images',
        'attachments',
        'name',
        'customInstructions',
        'outputPath',
        'parentSession',
        'sessionPath',
      ],
      ...['fileName', 'extractedText', 'cwd', 'content', 'prompt', 'text', 'uri', 'confirmed', 'enabled', 'command'],
      ...['params\\.query', 'value', 'result\\.content\\.name'],
    ),
    why: words,
  },
  {
    pattern: field(anyWay, 'updatedInput\\.\\w+'),
    protocols: ['claude'],
    why: 'The user may give a tool other arguments than the model did; whether they fit is the tool’s to say.',
  },
  {
    pattern: field('other|truncate', 'attachments\\.\\[\\]\\.(?:size|mimeType)'),
    protocols: ['pi-legacy'],
    why: 'The specification names the field and its type, and no more.',
  },
  {
    pattern: field(
      'remove|null',
      ...['sessionId', 'request\\.model', 'updatedInput', 'toolUseID', 'session_id', 'parent_tool_use_id'],
      ...['params\\.(?:clientInfo|initializationOptions|chatId|model|agent|behavior|contexts)', 'error\\.data'],
      ...['codeAssistant', 'chat', 'clientInfo\\.title'],
    ),
    why: optional,
  },
  {
    pattern: /^other user:text session_id$/u,
    protocols: ['claude'],
    why: 'Claude Code passes over the session of a prompt (docs/protocols/claude.md 3.3).',
  },
  { pattern: /^(?:remove|retype|null) connect params$/u, protocols: ['rpc-message'], why: optional },
  { pattern: /^(?:remove|null) (?:initialized|chat\/delete) params$/u, protocols: ['eca'], why: optional },
  { pattern: field('other|truncate', 'clientInfo\\.\\w+', 'error\\.message'), why: name },
  {
    pattern: /^retype initialize params\.processId$/u,
    protocols: ['eca'],
    why: 'A null becomes the number of a process, which is as right.',
  },
  {
    pattern: field('other', 'codeAssistant\\.chat', 'error\\.code', 'fs\\.\\w+', 'clientCapabilities\\.terminal'),
    why: 'The other choice would do: what a client can, and why it refuses, is its own.',
  },
  {
    pattern: /^(?:remove|null) initialize params\.clientCapabilities(?:\.\S+)?$/u,
    protocols: ['acp'],
    why: 'A capability that is left out, or is null, is not there (docs/protocols/acp.md 2.11).',
  },
  {
    pattern: /^\w+ \S+ (?:params\.clientCapabilities\._meta|error\.data)\.\w+$/u,
    protocols: ['acp', 'eca'],
    why: 'What the field holds is its sender’s own.',
  },
  {
    pattern: /^retype \S+ error\.data$/u,
    protocols: ['acp', 'eca'],
    why: 'JSON-RPC lets the data of an error be any value.',
  },
];
