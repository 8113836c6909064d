// One row of the grid.
import { batch } from '@preact/signals';
import type { VNode } from 'preact';
import type { WireMark } from '../../core/contract/gateway/wire-rows.ts';
import { memo } from '../shell/memo.ts';
import type { EventLog, Row } from '../state/event-log.ts';
import { clock } from '../state/format.ts';
import { row as chosen, follows, isDrawerOpen } from '../state/view.ts';
import { Chips } from './chips.tsx';
import { canonicalText, framesText, wiresOf } from './row-text.ts';

interface Props {
  readonly log: EventLog;
  readonly row: Row;
  readonly place: number;
  readonly columns: readonly string[];
  /** Where a row stands that is not among those in view, px. */
  readonly top?: number;
  /** Changes when what the row says changes. */
  readonly version: string;
  readonly isChosen: boolean;
}

export const Line = memo(({ log, row, place, columns, top, isChosen }: Props): VNode => {
  const { seq, at } = row.is === 'events' ? log.at(row.first) : { seq: null, at: row.wire.at };
  const marks = log.marksOf(row);
  const choose = () =>
    batch(() => {
      follows.value = false;
      isDrawerOpen.value = true;
      chosen.value = place;
    });
  const textOf = (column: string) => {
    if (column === 'canonical') return canonicalText(log, row);
    if (row.is === 'wire') return column === 'agent' ? framesText([...row.wire.from, ...row.wire.to]) : '';
    const wires = wiresOf(log, row);
    if (column === 'agent')
      return wires.length === 0 ? '' : framesText(wires.flatMap(({ from, to }) => [...from, ...to]));
    const told = wires.flatMap(({ frames }) => frames[column] ?? []);
    return wires.some(({ frames }) => frames[column] !== undefined) ? framesText(told) : '';
  };
  return (
    <div
      id={isChosen ? `row-${place}` : undefined}
      class="line"
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isChosen}
      style={top === undefined ? undefined : { position: 'absolute', transform: `translateY(${top}px)` }}
      onClick={choose}
    >
      <span role="gridcell" class="seq">
        {seq ?? ''}
      </span>
      <span role="gridcell" class="time">
        {clock(at)}
      </span>
      {columns.map((column) => {
        const own = marks.filter((mark) => homeOf(mark, columns) === column);
        const text = textOf(column);
        // As few boxes as can be: in a flood, all of them are laid out anew with each frame of the screen.
        return (
          <span
            key={column}
            role="gridcell"
            class={`cell ${classOf(column, row, log)}${own.length > 0 ? ' marked' : ''}`}
          >
            {own.length === 0 ? text : <bdi>{text}</bdi>}
            <Chips marks={own} />
          </span>
        );
      })}
    </div>
  );
});

/** The column of the protocol that a mark is about, if it is shown. */
function homeOf({ dialect }: WireMark, columns: readonly string[]): string {
  return dialect !== undefined && columns.includes(dialect) ? dialect : 'canonical';
}

/** The colour is the cell's own: Chromium leaves that of a descendant as it was when the class of its row changes. */
function classOf(column: string, row: Row, log: EventLog): string {
  if (column === 'canonical') return `c-canonical k-${familyOf(log.kindOf(row))}`;
  return column === 'agent' ? 'c-agent' : 'c-dialect';
}

/** What the type of an event is about: the colour of its row. */
function familyOf(kind: string): string {
  if (kind === 'command' || kind === 'native') return kind;
  if (/^(?:message|block|history)/u.test(kind)) return 'message';
  if (/^(?:tool|task|bash)/u.test(kind)) return 'tool';
  if (/^(?:approval|dialog)/u.test(kind)) return 'question';
  if (/^(?:run|turn)/u.test(kind)) return 'run';
  return /^(?:error|retry|agent)/u.test(kind) ? 'fault' : 'state';
}
