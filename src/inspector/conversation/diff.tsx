// A change to a file as its lines.
import type { VNode } from 'preact';
import type { FileChange } from '../../core/model/content.ts';

/** Lines that are shown at once. */
const most = 400;

export function Diff({ change }: { readonly change: FileChange }): VNode {
  const lines = change.diff.split('\n');
  return (
    <figure class="diff">
      <figcaption>
        <bdi class="path">{change.path}</bdi>
        <span class="added">+{change.linesAdded}</span>
        <span class="removed">−{change.linesRemoved}</span>
      </figcaption>
      <pre tabIndex={0}>
        {lines.slice(0, most).map((line) => (
          <span class={kindOf(line)}>{`${line}\n`}</span>
        ))}
        {lines.length > most ? `… ${lines.length - most} more lines` : ''}
      </pre>
    </figure>
  );
}

function kindOf(line: string): string {
  if (line.startsWith('@@')) return 'hunk';
  if (/^(?:\+\+\+|---) /u.test(line)) return 'file';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
}
