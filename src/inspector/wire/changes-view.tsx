// One cell of the drawer as what has changed since the frame before of its kind.
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Session } from '../state/session.ts';
import { cellBefore, type Part, parsed, wholeOf } from './cells.ts';
import { type Change, changesBetween, mostChanges } from './changes.ts';

interface Props {
  readonly session: Session;
  /** The row among those that are shown. */
  readonly place: number;
  readonly part: Part;
  readonly index: number;
}

export function Changes({ session, place, part, index }: Props): VNode {
  const { log } = session;
  const { column, cells } = part;
  const cell = cells[index];
  const before = useMemo(() => cellBefore(log, place, part, index), [place, index, cell?.text, log.learned]);
  /** A sentence in the place of changes. */
  const [told, setTold] = useState<readonly Change[] | string>('…');
  useEffect(() => {
    if (cell === undefined || before === null) return undefined;
    let isOver = false;
    const tell = (what: readonly Change[] | string) => {
      if (!isOver) setTold(what);
    };
    Promise.all([wholeOf(session, before, column), wholeOf(session, cell, column)]).then(
      ([was, is]) => tell(changesBetween(parsed(was) ?? was, parsed(is) ?? is)),
      (thrown: Error) => tell(thrown.message),
    );
    return () => {
      isOver = true;
    };
  }, [before?.text, cell?.text]);
  if (before === null) return <p class="quiet">No frame of this kind stands in the rows above.</p>;
  if (typeof told === 'string') return <p class="quiet">{told}</p>;
  if (told.length === 0) return <p class="quiet">The same as in {before.place}.</p>;
  return (
    <>
      <p class="quiet">Since {before.place}:</p>
      <dl class="changes">
        {told.slice(0, mostChanges).map(({ path, before: was, after: is }) => (
          <div key={path}>
            <dt>{path}</dt>
            {was !== undefined && <dd class="removed">{was}</dd>}
            {is !== undefined && <dd class="added">{is}</dd>}
          </div>
        ))}
      </dl>
      {told.length > mostChanges && <p class="quiet">… and more.</p>}
    </>
  );
}
