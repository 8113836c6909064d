// The marks of a session's events, each once, however it was told; and how many there are of each kind.
import type { WireMark } from '../../core/contract/gateway/wire-rows.ts';

export type MarkKind = WireMark['kind'];

export type Marks = ReturnType<typeof createMarks>;

const isSame = (a: WireMark, b: WireMark) => a.kind === b.kind && a.text === b.text && a.dialect === b.dialect;

/** The rule of a field that did not cross, which has none of its own. */
const fidelity = 'docs/fidelity.md';

export function createMarks() {
  const bySeq = new Map<number, readonly WireMark[]>();
  /** Where the marks are, as they came. */
  const places: { readonly seq: number; readonly kind: MarkKind }[] = [];
  const counts: Record<MarkKind, number> = { loss: 0, repair: 0, violation: 0, ignored: 0 };

  return {
    counts: counts as Readonly<Record<MarkKind, number>>,
    of: (seq: number): readonly WireMark[] => bySeq.get(seq) ?? [],
    places: places as readonly { readonly seq: number; readonly kind: MarkKind }[],
    /** Returns whether it is new. */
    add(seq: number, mark: WireMark): boolean {
      const known = bySeq.get(seq) ?? [];
      if (known.some((other) => isSame(mark, other))) return false;
      bySeq.set(seq, [...known, mark.kind === 'loss' ? { rule: fidelity, ...mark } : mark]);
      counts[mark.kind] += 1;
      places.push({ seq, kind: mark.kind });
      return true;
    },
    /** Counts the marks of a row that has no event and stands behind the one with that number. */
    count(seq: number, marks: readonly WireMark[]) {
      for (const { kind } of marks) {
        counts[kind] += 1;
        places.push({ seq, kind });
      }
    },
    clear() {
      bySeq.clear();
      places.length = 0;
      Object.assign(counts, { loss: 0, repair: 0, violation: 0, ignored: 0 });
    },
  };
}
