// An export that is written in two portions.
import type { ExportPort } from '../../../src/core/export/export.ts';

/** Writes the page and returns its path. Throws what the port throws. */
export function writeExport(port: ExportPort, html: string, path: string | undefined): string {
  const file = port.open(path);
  const half = Math.floor(html.length / 2);
  file.write(html.slice(0, half));
  file.write(html.slice(half));
  return file.finish();
}
