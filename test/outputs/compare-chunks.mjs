// `npm run outputs -- --chunks folder…`: whether the size of the chunks in which agents are read changes anything. See README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { chunked } from './chunks.mjs';

/** Compares all recordings in these folders, with the source of that tree, and prints what differs. True: nothing does. */
export async function compareChunks(tree, folders, only) {
  const parts = await partsOf(tree);
  let [count, together] = [0, 0];
  const different = [];
  for (const folder of folders) {
    for (const result of chunked(parts, folder, { only })) {
      count += 1;
      together += result.together;
      for (const [size, hash] of result.chunked) {
        if (hash !== result.parsed) different.push(`${result.of} | chunks of ${size}`);
      }
    }
    process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s  ${folder}\n`);
  }
  const summary = `${count} translations, ${different.length} different; ${together} frames left in stretches`;
  process.stdout.write(`${[...different, summary].join('\n')}\n`);
  return different.length === 0;
}

/** The library, and the framings, which are no part of it: Node 20 runs no TypeScript, so both are bundled. */
async function partsOf(tree) {
  const dir = mkdtempSync(path.join(tmpdir(), 'patchbay-chunks-'));
  try {
    const input = { library: 'src/index.ts', framings: 'src/transports/framing/framings.ts' };
    // Packages beside the bundle are found from where it lies, so they are in it.
    const bundle = await rolldown({ cwd: tree, input, platform: 'node', logLevel: 'silent' });
    await bundle.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    await bundle.close();
    const modules = Object.keys(input).map((name) => import(pathToFileURL(path.join(dir, `${name}.mjs`)).href));
    const [library, framings] = await Promise.all(modules);
    return { ...library, ...framings };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
