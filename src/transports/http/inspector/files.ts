// The files of the inspector's page. They are read once, and hold no secret.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file with its compressed forms. */
export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gz: Buffer | null;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
};

/** The files of the folder by name; none if it is not there: the package was not built. */
export function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder);
  const read = (name: string) => readFileSync(join(folder, name));
  const packed = (name: string) => (names.includes(name) ? read(name) : null);
  return new Map(
    names.flatMap((name) => {
      const type = types[/\.(\w+)$/u.exec(name)?.[1] ?? ''];
      if (type === undefined) return [];
      return [[name, { type, plain: read(name), br: packed(`${name}.br`), gz: packed(`${name}.gz`) }]];
    }),
  );
}

/** The form of the file for what the browser accepts, and its headers. */
export function formFor(file: PageFile, accepted: string | undefined) {
  const takes = (coding: string) =>
    new RegExp(`(?:^|,)\\s*${coding}\\s*(?:,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$))|$)`, 'u').test(accepted ?? '');
  const base = { 'content-type': file.type, vary: 'Accept, Accept-Encoding' };
  if (file.br !== null && takes('br')) return { body: file.br, headers: { ...base, 'content-encoding': 'br' } };
  if (file.gz !== null && takes('gzip')) return { body: file.gz, headers: { ...base, 'content-encoding': 'gzip' } };
  return { body: file.plain, headers: base };
}
