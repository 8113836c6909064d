// Renders a directory, and the map of all folders, for the model. Synchronous and bounded; never throws.
import path from 'node:path';
import { type Budget, type FoundText, inWords, isFull, leftOut, named, paid } from './budget.ts';
import { element } from './context-markup.ts';
import { limits } from './limits.ts';
import { listingOf } from './listing.ts';
import { smallFile } from './read-file.ts';
import { type Folder, kindOf, outermost, placeOf, shownPath } from './resolve-path.ts';

/** The content of a directory as a tree, followed by its small text files, upper levels first. */
export function readDirectory(given: string, folders: readonly Folder[], budget: Budget): FoundText {
  const place = placeOf(given, folders);
  if ('fault' in place) return leftOut('directory', given, place.fault);
  if (kindOf(place.real) !== 'directory') return leftOut('directory', given, 'it is no directory');
  const { folder, inside } = place;
  const { tree, files, isWhole } = listingOf(folder, inside, budget);
  const head = paid(element('directory', { path: shownPath(place, folders) }, tree), budget);
  if (head === null) return leftOut('directory', given, isFull);

  const texts = [head];
  let room = Math.min(limits.directory.bytes, budget.bytes);
  let unfit = 0;
  let beyond = 0;
  for (const [at, file] of files.entries()) {
    if (at >= limits.directory.files || room <= 0) {
      beyond += 1;
      continue;
    }
    const there = { folder, real: path.join(folder.real, file.inside), inside: file.inside };
    const text = smallFile(there, folders, limits.directory.file);
    const bytes = text === null ? 0 : Buffer.byteLength(text) + 1;
    if (text === null) unfit += 1;
    else if (bytes > room) beyond += 1;
    else {
      texts.push(text);
      room -= bytes;
      budget.bytes -= bytes;
    }
  }
  const faults = [
    ...(isWhole ? [] : ['it holds more than the listing']),
    ...(unfit === 0 ? [] : [`${unfit} of its files are no text of at most ${inWords(limits.directory.file)}`]),
    ...(beyond === 0
      ? []
      : [`${beyond} are beyond ${limits.directory.files} files or ${inWords(limits.directory.bytes)} in all`]),
  ];
  const text = texts.join('\n');
  return faults.length === 0
    ? { text }
    : { text, problem: `The directory ${named(given)} is not there whole: ${faults.join('; ')}.` };
}

/** The content of all folders, as a tree. */
export function readMap(folders: readonly Folder[], budget: Budget): FoundText {
  const nothing = (fault: string) => ({ text: null, problem: `The map of the workspace was left out: ${fault}.` });
  if (folders.length === 0) return nothing('this session has no folders');
  const roots = outermost(folders);
  const isAlone = roots.length === 1 && roots[0] === folders[0];
  const listings = roots.map((folder) => {
    const { tree, isWhole } = listingOf(folder, '', budget, isAlone ? 0 : 1);
    const head = `${shownPath({ folder, real: folder.real, inside: '' }, folders)}/`;
    return { tree: isAlone ? tree : `${head}\n${tree}`, isWhole };
  });
  const text = paid(element('repo-map', {}, listings.map(({ tree }) => tree).join('\n')), budget);
  if (text === null) return nothing(isFull);
  if (listings.every(({ isWhole }) => isWhole)) return { text };
  const most = `${limits.listing.paths} paths or ${inWords(limits.listing.bytes)}`;
  return { text, problem: `The map of the workspace is not whole: of a folder it tells ${most}.` };
}
