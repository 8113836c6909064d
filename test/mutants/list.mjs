// The list of mutants, and where each one stands in the source.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {{ id: string, room: string, kind: string, file: string, original: string, mutated: string, killer: string }} Mutant
 * `room` follows from `file`. `file` and `killer` are paths from the project's root, `killer` is `-` where none is known;
 * `original` occurs once in the file.
 */

const columns = ['id', 'kind', 'file', 'original', 'mutated', 'killer'];

/** The folder below `src` that a file belongs to; in `core` and `adapters` the folder below that one: `core/link`, `gateway`. */
function roomOf(/** @type {string} */ file) {
  const [, room, inner] = file.split('/');
  return room === 'core' || room === 'adapters' ? `${room}/${inner}` : room;
}

/** @returns {Mutant[]} */
export function readList(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  if (head !== columns.join('\t'))
    throw new Error(`${file}: the first line must name the columns ${columns.join(' ')}`);
  const mutants = lines.map((line, index) => {
    const cells = line.split('\t');
    if (cells.length !== columns.length) throw new Error(`${file}:${index + 2}: ${cells.length} cells`);
    const mutant = Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
    return { ...mutant, room: roomOf(mutant.file) };
  });
  const ids = mutants.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (twice.length > 0) throw new Error(`${file}: ${twice.join(', ')} more than once`);
  return mutants;
}

/** @param {readonly Mutant[]} mutants */
export function writeList(file, mutants) {
  const lines = mutants.map((mutant) => columns.map((column) => mutant[column]).join('\t'));
  writeFileSync(file, `${[columns.join('\t'), ...lines].join('\n')}\n`);
}

/**
 * The file of a path, or the only file of that name elsewhere, or null.
 * @param {readonly string[]} files all files, as paths from the root
 */
export function findFile(root, file, files) {
  if (existsSync(path.join(root, file))) return file;
  const same = files.filter((other) => path.posix.basename(other) === path.posix.basename(file));
  return same.length === 1 ? same[0] : null;
}

/**
 * The mutated text of a mutant's file, or why there is none.
 * @param {Mutant} mutant
 * @param {readonly string[]} files
 * @returns {{ file: string, text: string } | { stale: string }}
 */
export function mutate(root, mutant, files) {
  const file = findFile(root, mutant.file, files);
  if (file === null) return { stale: `no ${mutant.file}, and not exactly one file of that name elsewhere` };
  const parts = readFileSync(path.join(root, file), 'utf8').split(mutant.original);
  if (parts.length !== 2) return { stale: `${file} has the original ${parts.length - 1} times, not once` };
  return { file, text: parts.join(mutant.mutated) };
}
