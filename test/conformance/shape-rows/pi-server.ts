// What pi-servers answer, from fixtures/wire: each answer as if its command had no id.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dictionaryIn, without } from '../../../src/core/model/dictionary.ts';
import { fixturesFolder } from '../../support/fixtures.ts';
import type { Row } from '../mutation/mutators.ts';

const folder = path.join(fixturesFolder, 'wire/pi-server/valid');
const read = (name: string): Row => {
  const message = dictionaryIn(readFileSync(path.join(folder, name), 'utf8')) ?? {};
  return { by: 'agent', json: without(message, 'id', 'sessionVersion') };
};

/** A conversation with a server. */
export const piServerTalk: readonly Row[] = [
  read('server_ready.json'),
  ...readdirSync(folder)
    .filter((name) => name.startsWith('response-'))
    .map(read),
  read('server_shutdown.json'),
];
