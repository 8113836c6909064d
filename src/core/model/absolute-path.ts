// Paths of files as clients need them.

/** Matches a path that names a file without a base folder: from the root, of a drive or a share, or a URI. */
const rooted = /^(?:[/\\]|[a-z][a-z\d+.-]*:)/iu;

/**
 * The path from the root. Clients open a path as a file, in whatever folder they run, so a relative path would name
 * another file. A relative path stays as it is where `cwd`, the working folder of the agent, is unknown.
 */
export function absolutePath(path: string, cwd = ''): string {
  const isHome = path === '~' || path.startsWith('~/');
  if (path === '' || isHome || rooted.test(path) || !rooted.test(cwd)) return path;
  const [root = '', ...folders] = cwd.split('/');
  const parts: string[] = [];
  for (const part of [...folders, ...path.split('/')]) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return [root, ...parts].join('/');
}
