// Everything about the chosen row: its event, the frames that gave it, the frames that it became, its marks.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { clock, several } from '../state/format.ts';
import type { Session } from '../state/session.ts';
import { addressOf, row as chosen, isDrawerOpen, said } from '../state/view.ts';
import { CellView } from './cell-view.tsx';
import { type Part, partsOf } from './cells.ts';
import { Changes } from './changes-view.tsx';
import { Chip } from './chips.tsx';
import { canonicalText } from './row-text.ts';

type View = 'text' | 'tree' | 'changes';

/** What `c` copies: the event, or the frame that gave none. */
export function copied({ log }: Session): void {
  const row = log.shown()[chosen.value];
  if (row === undefined) return;
  const parts = partsOf(log, row);
  copy(parts.find(({ column }) => column === 'canonical') ?? parts[0]);
}

function copy(part: Part | undefined): void {
  const text = (part?.cells ?? []).map((cell) => cell.text).join('\n');
  void navigator.clipboard.writeText(text).then(
    () => (said.value = 'The frame is copied.'),
    () => (said.value = 'The browser does not let this page copy.'),
  );
}

export function Drawer({ session }: { readonly session: Session }): VNode | null {
  const [view, setView] = useState<View>('text');
  const { log } = session;
  void log.changed.value;
  const { value: place } = chosen;
  const row = log.shown()[place];
  if (!isDrawerOpen.value || row === undefined) return null;
  const { seq, at } = row.is === 'events' ? log.at(row.first) : { seq: null, at: row.wire.at };
  const marks = log.marksOf(row);
  return (
    <aside class="drawer" aria-label="Chosen row">
      <header class="row">
        <h3>
          {seq === null ? 'no event' : `#${seq}`} <bdi>{canonicalText(log, row)}</bdi>
        </h3>
        <span class="figures">{clock(at)} s</span>
        <span class="gap" />
        {(['tree', 'changes'] as const).map((each) => (
          <button
            type="button"
            key={each}
            class="toggle"
            aria-pressed={view === each}
            onClick={() => setView(view === each ? 'text' : each)}
          >
            {each}
          </button>
        ))}
        {seq !== null && (
          <button type="button" onClick={() => link(seq)}>
            link
          </button>
        )}
        <button type="button" aria-label="close" onClick={() => (isDrawerOpen.value = false)}>
          ×
        </button>
      </header>
      {marks.length > 0 && (
        <ul class="marks" aria-label="marks">
          {marks.map((mark, index) => (
            <li key={index}>
              <Chip mark={mark} isTabbed />
            </li>
          ))}
        </ul>
      )}
      {partsOf(log, row).map((part) => (
        <PartView key={part.name} session={session} place={place} part={part} view={view} />
      ))}
    </aside>
  );
}

interface PartProps {
  readonly session: Session;
  readonly place: number;
  readonly part: Part;
  readonly view: View;
}

function PartView({ session, place, part, view }: PartProps): VNode {
  const { name, column, cells } = part;
  return (
    <section aria-label={name}>
      <header class="row">
        <h4>
          {name} <span class="figures">{cells.length > 1 && several(cells.length, 'frame')}</span>
        </h4>
        {cells.length > 0 && (
          <button type="button" class="link" aria-label={`copy ${name}`} onClick={() => copy(part)}>
            copy
          </button>
        )}
      </header>
      {cells.length === 0 && <p class="quiet">nothing: the protocol has no frame for it</p>}
      {cells.map((cell, index) =>
        view === 'changes' ? (
          <Changes key={`${place} ${index}`} session={session} place={place} part={part} index={index} />
        ) : (
          <CellView key={`${place} ${index}`} session={session} column={column} cell={cell} isTree={view === 'tree'} />
        ),
      )}
    </section>
  );
}

export function link(seq: number): void {
  history.replaceState(null, '', addressOf(seq));
  void navigator.clipboard.writeText(addressOf(seq)).then(
    () => (said.value = 'The link is copied.'),
    () => (said.value = 'The address of the page is the link.'),
  );
}
