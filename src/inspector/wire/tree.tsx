// A JSON value that opens and closes.
import type { VNode } from 'preact';
import { visible } from '../state/format.ts';

/** Entries of one object or array that are listed. */
const most = 200;

export function Tree({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}): VNode {
  const key = name === undefined ? null : <span class="j-key">{visible(name)}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div class="leaf">
        {key}
        {leaf(value)}
      </div>
    );
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details class="tree" open={depth < 2}>
      <summary>
        {key}
        <span class="quiet">{brackets}</span>
      </summary>
      {entries.slice(0, most).map(([each, inner]) => (
        <Tree key={each} name={each} value={inner} depth={depth + 1} />
      ))}
      {entries.length > most && <p class="quiet">… {entries.length - most} more</p>}
    </details>
  );
}

function leaf(value: unknown): VNode {
  const text = visible(JSON.stringify(value) ?? 'undefined').slice(0, 4096);
  const kind = typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'word';
  return <span class={`j-${kind}`}>{text}</span>;
}
