// Where an ACP client behind an ACP agent is told otherwise than the agent has said. All else is told as it was said.

/** A difference by its name. */
export interface AcpDifference {
  readonly name: string;
  readonly because: string;
  /** Whether a fact of the contents differs in this way only. Values as JSON. */
  covers(fact: string, said: string | undefined, told: string | undefined): boolean;
}

const isAddition = (end: string) => (fact: string, said: string | undefined, told: string | undefined) =>
  fact.startsWith('call ') && fact.endsWith(` ${end}`) && said === undefined && told !== undefined;

/** All of them; docs/fidelity.md lists them. */
export const acpDifferences: readonly AcpDifference[] = [
  {
    name: 'the name of a tool is added',
    because: 'the agent tells none: it is taken from the id, the title or the kind of the call',
    covers: isAddition('name'),
  },
  {
    name: 'empty arguments are added',
    because: 'the agent tells none',
    covers: (fact, said, told) =>
      isAddition('rawInput')(fact, said, told)
        ? told === '{}'
        : fact.startsWith('question of ') && told?.replaceAll('"rawInput":{},', '') === said,
  },
  {
    name: 'what a terminal has shown is added as a text',
    because: 'the agent tells it in `_meta` alone, which few clients read',
    covers: (fact, said, told) =>
      fact.endsWith(' content') && said !== undefined && told?.startsWith(`${said.slice(0, -1)},`) === true,
  },
  {
    name: 'the end of a call is added',
    because: 'the agent says nothing more of a call that was rejected or cancelled',
    covers: (fact, said, told) => isAddition('status')(fact, said, told) && told === '"failed"',
  },
  {
    name: 'options for the mode and the model are added',
    because: 'the agent has modes and models, and clients that know options show nothing else',
    covers: (fact, said, told) => fact === 'configOptions' && told?.endsWith(said?.slice(1) ?? ']') === true,
  },
  {
    name: 'modes that repeat the levels of thinking are left out',
    because: 'the option for these levels is there, and a mode of that name would be no mode to other clients',
    covers: (fact, said, told) => fact === 'modes' && said?.includes('"Thinking: ') === true && told === undefined,
  },
  {
    name: '`_meta` of a whole list of commands is left out',
    because: 'qwen puts 548 kB into each; `_meta` of single commands is told',
    covers: (fact, _, told) => fact.startsWith('available_commands_update _meta.') && told === undefined,
  },
];

/** What else differs, by nature of the gateway. */
export const acpOtherwise: readonly (readonly [name: string, because: string])[] = [
  ['ids of sessions, of requests and of messages without an id', 'the gateway has its own'],
  [
    'a remark without an id is a notice, and text for clients that take none within a run only if it is an error',
    'the words are not those of the model; white space around them is lost',
  ],
  [
    'requests of vendors, `fs` and `terminal` are refused by the gateway',
    'they are for a client of another protocol, too',
  ],
  ['titles are one line of at most 120 characters', 'docs/protocols/acp.md 9.63'],
  ['title, kind and places that change while a call runs are told with its end', 'the model has them at start and end'],
  ['`_meta` of answers', 'the answers are those of the gateway'],
  ['a cost that is not in US dollars', 'the model counts in US dollars'],
  ['options of an unknown type', 'they cannot be set (docs/protocols/acp.md 3.22)'],
  ['a form of several fields is asked field by field', 'a dialog of the model asks for one thing'],
];

/** The part of docs/fidelity.md about ACP behind ACP. */
export function acpPart(): string {
  const rows = [...acpDifferences.map(({ name, because }) => [name, because] as const), ...acpOtherwise];
  return [
    '## An ACP client behind an ACP agent',
    '',
    'The client is told what the agent has said: contents, calls with titles, kinds, places, arguments and results, options, plans,',
    'figures, `_meta` of updates; an answer to a question is the option of the agent. Recordings of real agents show it',
    '(test/adapters/acp/lossless.test.ts). But:',
    '',
    '| what differs | because |',
    '|---|---|',
    ...rows.map(([name, because]) => `| ${name} | ${because} |`),
    '',
  ].join('\n');
}
