// Finds recordings and says who spoke in them. Knows the forms of recordings, and protocols by their names only.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Words in a path that name a protocol. `events`: events of the gateway's own model, in no protocol. */
const words = new Map([
  ['pi', 'pi'],
  ['pi-legacy', 'pi-legacy'],
  ['pi-server', 'pi-server'],
  ['claude', 'claude'],
  ['claude-sdk', 'claude'],
  ['rpc-message', 'rpc-message'],
  ['eca', 'eca'],
  ['editors', 'eca'],
  ['anthropic', 'anthropic'],
  ['canonical', 'canonical'],
  ['events', 'events'],
]);

/** Versions of pi, as folders, that speak its first protocol. */
const legacyVersion = /^0\.1[0-5]\./u;

/**
 * All recordings in a folder, by name. `protocol`: what is spoken. `rows`: `dir` is `out` from an agent and `in` towards it,
 * `line` is what was on the wire, `conn` names the connection. `file` is absent for a folder of single frames.
 */
export function recordingsIn(folder) {
  const root = path.resolve(folder);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const lists = names.filter((name) => name.endsWith('.jsonl')).map((name) => recordingOf(root, name));
  const frames = names.filter(
    (name) => /(?:^|\/)(?:in)?valid$/u.test(name) && statSync(path.join(root, name)).isDirectory(),
  );
  const all = [...lists, ...frames.map((name) => framesOf(root, name))];
  return all.filter(({ protocol }) => protocol !== undefined);
}

function recordingOf(root, name) {
  const file = path.join(root, name);
  const text = readFileSync(file, 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap(rowsOf);
  const isBare = rows.every((row) => row.isBare);
  const isTrace = isBare || !text.startsWith('{"client"');
  return { name: shownName(root, name), protocol: protocolOf(name), file, rows, isBare, isTrace };
}

/** Single frames, each a recording of its own; who said them is left open. */
function framesOf(root, name) {
  const folder = path.join(root, name);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const frames = files.sort().map((file) => readFileSync(path.join(folder, file), 'utf8').replaceAll('\n', ' '));
  return { name: shownName(root, name), protocol: protocolOf(name), frames, rows: [] };
}

const shownName = (root, name) => `${path.basename(root)}/${name}`;

/** The name of the file counts before the names of its folders, the nearest first. */
function protocolOf(name) {
  const parts = name
    .replace(/\.jsonl$/u, '')
    .split('/')
    .reverse();
  const protocol = words.get(parts.find((part) => words.has(part)));
  return protocol === 'pi' && parts.some((part) => legacyVersion.test(part)) ? 'pi-legacy' : protocol;
}

/** A row of a trace; a row of an editor's recording, whose server is not played; or a bare line of an agent. */
function rowsOf(line) {
  const row = parsed(line);
  if (row === null || !('dir' in row || 'client' in row)) return [{ dir: 'out', line, conn: '', isBare: true }];
  const said = 'client' in row ? { dir: 'in', msg: row.client } : row;
  const text = typeof said.line === 'string' ? said.line : 'msg' in said ? JSON.stringify(said.msg) : null;
  return text === null || (said.dir !== 'in' && said.dir !== 'out')
    ? []
    : [{ dir: said.dir, line: text, conn: String(said.conn ?? ''), isBare: false }];
}

function parsed(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
