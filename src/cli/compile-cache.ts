// Keeps compiled code for the next start (Node 22.1 and later). Import this module first: the cache serves only modules
// that are loaded after it.
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder of the user's caches (XDG base directories). Throws if the user has no home directory. */
function cacheFolder(): string {
  const given = process.env.XDG_CACHE_HOME ?? '';
  return isAbsolute(given) ? given : join(homedir(), '.cache');
}

if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
  try {
    // Not Node's default, the folder for temporary files: another user could place code there.
    module.enableCompileCache(join(cacheFolder(), 'agent-patchbay'));
  } catch {
    // Without a cache a start takes longer and is otherwise the same.
  }
}
