// Mutants of ACP agents that break no sentence, and why. The sections are those of docs/protocols/acp.md.
import { field, type Reason } from './reason.ts';

const acp = (pattern: RegExp, why: string): Reason => ({ pattern, protocols: ['acp'], why });
const optional = 'The field may be left out, or be null.';

/** All of them. */
export const acpReasons: readonly Reason[] = [
  acp(
    /^(?:remove|null|other) >initialize result\.agentCapabilities(?:\.\S+)?$/u,
    'What an agent can do is its own; what is left out, or is null, it cannot (2.11).',
  ),
  acp(
    /^(?:drop|duplicate) (?:session\/update:\S+|session\/request_permission|elicitation\/create|\$\/cancel_request)$/u,
    'An agent tells and asks as much as it likes: chunks come in any number, and nothing counts them.',
  ),
  acp(
    /^swap session\/\S+ and \S+$|^swap \$\/cancel_request and \S+$/u,
    'Chunks, calls and notices of one turn stand in the order of the agent.',
  ),
  acp(
    field(
      'remove|null',
      ...[
        'agentInfo\\.title',
        'authMethods',
        'description',
        'modes',
        'configOptions',
        'category',
        'input',
        'messageId',
      ],
      ...['update\\.(?:title|cost|name|kind|status|content)', 'toolCall\\.\\w+', 'title', 'required'],
    ),
    optional,
  ),
  acp(
    field(
      'truncate',
      ...['authMethods', 'availableModes', 'configOptions', 'availableCommands', 'entries', 'content', 'required'],
    ),
    'A shorter list would do: how much there is, is the agent’s.',
  ),
  acp(
    field(
      'other|truncate',
      'category',
      'options\\.\\[\\]\\.value',
      'messageId',
      'entries\\.\\[\\]\\.content',
      'version',
    ),
    'Any other word would do: the agent chooses it, and nothing that was told before names it.',
  ),
  acp(
    field('other|truncate', 'configOptions\\.\\[\\]\\.type'),
    'An option of a type that a client does not know is passed over (3.22).',
  ),
  acp(/^other session\/update:usage_update params\.update\.size$/u, 'Any other figure would do.'),
  acp(/^truncate \S+ params\.update\.cost\.currency$/u, 'The document says that the currency is a text (5).'),
  acp(
    field('remove|retype|null|other|truncate', 'rawInput', 'rawOutput'),
    'What a tool is given and gives is the tool’s, of any type (4.35).',
  ),
  acp(/^(?:retype|null) \S+ id$/u, 'The id of a request is a text, a number or null, and its sender’s (1.2).'),
  acp(
    field('other|truncate', 'toolCall\\.toolCallId'),
    'A request for permission may be the first that is heard of a call (4.36).',
  ),
  acp(
    field('other|truncate', 'options\\.\\[\\]\\.optionId'),
    'The agent chooses the ids of options; the client’s answer stays here.',
  ),
  acp(/^other \S+ error\.code$/u, 'An agent has errors of its own (1.8).'),
];
