// One cell of the drawer, as text or as a tree.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { JsonText, pretty } from '../conversation/json-text.tsx';
import { several } from '../state/format.ts';
import type { Session } from '../state/session.ts';
import { type Cell, moreOf, parsed } from './cells.ts';
import { Tree } from './tree.tsx';

interface Props {
  readonly session: Session;
  readonly column: string;
  readonly cell: Cell;
  readonly isTree: boolean;
}

export function CellView({ session, column, cell, isTree }: Props): VNode {
  const [added, setAdded] = useState('');
  const text = cell.text + added;
  const value = parsed(text);
  const rest = (cell.cut ?? 0) - text.length;
  const more = () => moreOf(session, cell, column, text.length).then((part) => setAdded(added + part.text));
  return (
    <>
      {!isTree || value === undefined ? (
        <JsonText text={value === undefined ? text : pretty(value)} />
      ) : (
        <Tree value={value} />
      )}
      {rest > 0 && (
        <p class="quiet">
          {several(rest, 'character')} more{' '}
          <button type="button" class="link" onClick={() => void more()}>
            show more
          </button>
        </p>
      )}
    </>
  );
}
