// What people hear of a patchbay.json that is wrong: the line, what is wrong there, and what was probably meant.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { configSchema, loadConfig, parseConfig } from '../../src/config/config.ts';
import { readPositions } from '../../src/config/json-positions.ts';
import { runs } from '../support/full.ts';

const file = join(mkdtempSync(join(tmpdir(), 'patchbay-mistakes-')), 'patchbay.json');

/** What is said of a file with that text, with its own name left out. */
function said(text: string): string {
  writeFileSync(file, text);
  try {
    loadConfig(file);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.replaceAll(`${file}:`, '') : String(thrown);
  }
  return 'nothing';
}

/** One agent, one member a line: its members begin on line 4. */
function agent(...members: string[]): string {
  return `{\n  "agents": {\n    "a": {\n${members.map((member) => `      ${member}`).join(',\n')}\n    }\n  }\n}\n`;
}

const protocol = '"protocol": "pi"';

it.each<[name: string, text: string, words: string]>([
  ['nothing', '\n', '1: the file is empty'],
  ['comma missing between members', '{\n  "agents": {}\n  "roots": []\n}', '2: a comma is missing after "agents": {}'],
  [
    'comma missing between words',
    agent(protocol, '"command": ["pi"\n "rpc"]'),
    '5: a comma is missing after "command": ["pi"',
  ],
  ['comma too many', '{\n  "agents": {},\n}', '2: an extra comma before }'],
  ['comma too many in a list', '{ "roots": ["/a",\n ] }', '1: an extra comma before ]'],
  ['comment', '{\n  // mine\n  "agents": {}\n}', '2: JSON has no comments'],
  ['single quotes', "{\n  'agents': {}\n}", '2: text must be in double quotes: "agents"'],
  [
    'no quotes',
    '{\n  agents: {}\n}',
    '2: found agents, but expected a text in double quotes, a number, true, false, null, { or [',
  ],
  ['colon missing', '{\n  "agents" {}\n}', '2: a colon is missing after "agents"'],
  ['value missing', '{\n  "agents":\n}', '3: something is missing before }'],
  ['end missing', '{\n  "agents": {\n}\n', '1: this { is never closed'],
  ['quote missing', '{\n  "defaultAgent": "pi\n}', '2: the text that begins here has no closing quote'],
  ['backslashes', '{ "roots": ["C:\\Users"] }', '1: a backslash in a text must be written twice: \\\\'],
  ['a tab', '{ "roots": ["a\tb"] }', '1: a tab in a text must be written as \\t'],
  ['two values', '{}\n{}', '2: there is text after the end of the JSON value'],
  ['a value cut short', '{ "agents":', '1: the text ends too early'],
  ['too deep', '['.repeat(1000), '1: nests deeper than 128 levels'],
  ['other type at the top', '[]', '1: the configuration is an object {…}, not a list […]'],
  ['unknown key', '{\n  "agent": {}\n}', '2: agent does not exist; did you mean "agents"?'],
  [
    'unknown key like no other',
    '{\n  "mcp": {}\n}',
    '2: mcp does not exist; there are $schema, agents, defaultAgent, roots, exportDirectory, sessionDirectory, journal, store, advertise, node, nodes, frontends, tokens, server, limits',
  ],
  [
    'unknown key of an agent',
    agent(protocol, '"environment": {}'),
    '5: agents.a.environment does not exist; did you mean "env"?',
  ],
  [
    'unknown key of limits',
    '{ "limits": { "sesions": 1 } }',
    '1: limits.sesions does not exist; did you mean "sessions"?',
  ],
  [
    'line for a command',
    agent(protocol, '"command": "pi --mode rpc"'),
    '5: agents.a.command is a list of words: ["pi","--mode","rpc"]',
  ],
  [
    'line with quotes for a command',
    agent(protocol, `"command": "sh -c 'exec pi'"`),
    '5: agents.a.command is a list of words: ["sh","-c","exec pi"]',
  ],
  [
    'program and arguments apart',
    agent(protocol, '"command": "pi"', '"args": ["--mode", "rpc"]'),
    '5: agents.a.command is a list of words: ["pi","--mode","rpc"]\n6: agents.a.args does not exist: append its words to command',
  ],
  ['command without a program', agent(protocol, '"command": []'), '5: agents.a.command[0] is missing'],
  ['command with an empty program', agent(protocol, '"command": [""]'), '5: agents.a.command[0] is empty'],
  ['number for a word', agent(protocol, '"command": ["pi", 5]'), '5: agents.a.command[1] is a text, in quotes: "5"'],
  [
    'protocol left out',
    agent('"command": ["pi"]'),
    '3: agents.a.protocol is missing: The protocol that the agent speaks, e.g. pi or claude.',
  ],
  [
    'protocol misspelt',
    agent('"protocol": "claud"'),
    '4: agents.a.protocol: no protocol named "claud"; did you mean "claude"?',
  ],
  [
    'protocol that no agent speaks',
    agent('"protocol": "rpc-message"'),
    '4: agents.a.protocol: no protocol named "rpc-message"; there are pi, pi-legacy, pi-server, claude, anthropic, eca, acp, demo',
  ],
  ['agent that is none', '{ "agents": { "a": null } }', '1: agents.a is an object {…}, not null'],
  [
    'name that is none',
    '{\n"agents": {\n"a/../b": { "protocol": "pi" } } }',
    '3: agents["a/../b"]: the name has 1 to 64 letters, digits, - and _',
  ],
  [
    'address that is none',
    agent(protocol, '"url": "localhost:80"'),
    '5: agents.a.url must start with ws://, wss://, http:// or https://',
  ],
  [
    'command and address',
    agent(protocol, '"command": ["pi"]', '"url": "ws://h"'),
    '3: agents.a: an agent has a command or a url, not both',
  ],
  ['text for a list', '{ "roots": "/x" }', '1: roots is a list: ["/x"]'],
  ['text for a number', '{ "server": { "port": "81" } }', '1: server.port is a number, without quotes: 81'],
  ['word for a number', '{ "server": { "port": "any" } }', '1: server.port is a number, not a text in quotes'],
  ['fraction', '{ "server": { "port": 1.5 } }', '1: server.port is a whole number, not 1.5'],
  ['number too large', '{ "server": { "port": 99999 } }', '1: server.port is at most 65535'],
  ['number too small', '{ "limits": { "sessions": 0 } }', '1: limits.sessions is at least 1'],
  [
    'default that is not there',
    '{\n"agents": {},\n"defaultAgent": "dmo" }',
    '3: defaultAgent dmo is not among the agents; did you mean "demo"?',
  ],
])('%s', (_name, text, words) => {
  expect(said(text)).toBe(words);
});

it('finds a mistake in what JSON.parse refuses, and in nothing else', () => {
  const mark = fc.constantFrom(...'{}[],:"\'\\/ \n\t\u007f0-1.e', 'true', 'null', '\\u00e9', '');
  const edit = fc.record({ at: fc.nat(), drop: fc.nat(3), mark });
  fc.assert(
    fc.property(fc.json(), fc.array(edit, { maxLength: 3 }), (json, edits) => {
      const text = edits.reduce((before, { at, drop, mark }) => {
        const place = at % (before.length + 1);
        return before.slice(0, place) + mark + before.slice(place + drop);
      }, json);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(readPositions(text).mistake === null, text).toBe(isJson);
    }),
    { numRuns: runs(2000) },
  );
});

it('reads a file that begins with the mark of its encoding, and one that names its schema', () => {
  expect(said('\ufeff{ "$schema": "./patchbay.schema.json", "agents": {} }')).toBe('nothing');
});

it('says the same of a value without a file, without a line', () => {
  expect(() => parseConfig({ agent: {} })).toThrow('agent does not exist; did you mean "agents"?');
});

it('publishes the schema that the gateway reads by (npx vitest run test/config -u makes it anew)', async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot('../../patchbay.schema.json');
});
