// The reference model of a ledger of commands (docs/protocols/pi-server.md 7 to 11): single-threaded, simple and slow. It is told
// the course of all commands in the order in which clients heard it, and says of each step whether it may be so and of each
// end whether it must, or may, be that one. Shares nothing with the ledger of the gateway; knows no transport.

/** A command as some client has sent it; `payload` is all that a repetition must equal. */
export interface Sent {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  readonly type: string;
  readonly session?: string | undefined;
  readonly dependsOn: readonly string[];
  readonly ifVersion?: number | undefined;
  readonly payload: string;
  /** It is about nothing that is there, and the agent says so. */
  readonly fails?: boolean;
  /** It never ends by itself. */
  readonly hangs?: boolean;
}

/** One step in the course of a command. */
export interface Step {
  readonly phase: 'accepted' | 'started' | 'finished';
  /** As the step calls it: its id, or a name that stands for none. */
  readonly name: string;
  readonly sent: Sent;
  readonly ending?: Ending;
}

/** How a command ended. */
export interface Ending {
  readonly success: boolean;
  readonly error?: string | undefined;
  readonly version?: number | undefined;
  readonly replayed: boolean;
}

/** Times in ms. */
export interface ModelLimits {
  readonly dependencyWaitMs: number;
  readonly commandTimeoutMs: number;
}

type Fate = { readonly is: 'executed' } | { readonly is: 'replayed'; readonly of: Row } | { readonly is: 'refused' };

/** A command that was taken, in the order of things. */
interface Row {
  readonly name: string;
  readonly sent: Sent;
  readonly fate: Fate;
  readonly lane: string;
  readonly isBeside: boolean;
  phase: 'accepted' | 'started' | 'finished';
  /** How many of its dependencies are done with. */
  done: number;
  /** What its dependencies forbid. */
  barred: string | null;
  /** When it began to wait, what it waits for could not have ended before it. */
  isInCircle: boolean;
  /** What it may have seen of its session while it was carried out. */
  readonly sawVersions: Set<number | undefined>;
  readonly sawNames: Set<string | undefined>;
  isThere: { yes: boolean; no: boolean };
  ending: Ending | null;
}

/** The model. */
export interface LedgerModel {
  /** What is wrong with that step, in words; empty when nothing is. */
  take(step: Step): string[];
  /** What is still open, as complaints. */
  close(): string[];
  /** The command that was carried out under that id. */
  executed(
    id: string,
  ): { readonly sent: Sent; readonly ending: Ending | null; readonly names: ReadonlySet<string | undefined> } | null;
  version(session: string): number | undefined;
  /** The names that a session may have now. */
  names(session: string): ReadonlySet<string | undefined>;
}

/** docs/protocols/pi-server.md 17.1: those that need no session, and the subscription to one. */
const serverTypes: ReadonlySet<string> = new Set([
  'list_sessions',
  'create_session',
  'load_session',
  'switch_session',
  'get_metrics',
  'health_check',
  'list_stored_sessions',
]);
/** Not in the lanes of docs/protocols/pi-server.md 7.3, by decision: they are about what goes on there. */
const besideTypes: ReadonlySet<string> = new Set([
  'abort',
  'abort_bash',
  'abort_retry',
  'abort_compaction',
  'steer',
  'follow_up',
  'extension_ui_response',
]);
/** docs/protocols/pi-server.md 10.2, 10.3: these leave the version as it is. */
const isRead = (type: string): boolean =>
  /^get_|^list_/u.test(type) ||
  type === 'switch_session' ||
  type === 'extension_ui_response' ||
  type === 'health_check';

const laneOf = ({ type, session }: Sent): string =>
  serverTypes.has(type) || session === undefined ? 'server' : `session:${session}`;

/**
 * Any words where none are asked for. Where a failure is the cause of another one, its sentence may be cut, and may leave out
 * which version was wanted of a session that there is not.
 */
function sameWords(wanted: string | undefined, said = ''): boolean {
  if (wanted === undefined || wanted === said) return true;
  const plain = (words: string) => words.replace(/ for ifSessionVersion=\d+$/u, '');
  if (!said.startsWith('Dependency ')) return false;
  return plain(wanted) === plain(said) || (said.endsWith('…') && wanted.startsWith(said.slice(0, -1)));
}

/** An empty ledger; sessions come with their `create_session`. */
export function createLedgerModel(limits: ModelLimits): LedgerModel {
  const rows: Row[] = [];
  const ids = new Map<string, Row>();
  const keys = new Map<string, Row>();
  const versions = new Map<string, number>();
  const names = new Map<string, Set<string | undefined>>();

  const running = () => rows.filter(({ phase }) => phase === 'started');
  const isReady = (row: Row) =>
    row.phase === 'started' && row.barred === null && row.done === row.sent.dependsOn.length;
  const keyOf = ({ lane, sent: { key } }: { lane: string; sent: Sent }) => JSON.stringify([lane, key]);

  /** Section 8: the key goes first, then the id. */
  function fateOf(sent: Sent, lane: string): Fate {
    const known =
      (sent.key === undefined ? undefined : keys.get(keyOf({ lane, sent }))) ??
      (sent.id === undefined ? undefined : ids.get(sent.id));
    if (known === undefined) return { is: 'executed' };
    return known.sent.payload === sent.payload ? { is: 'replayed', of: known } : { is: 'refused' };
  }

  function accept({ name, sent }: Step): string[] {
    const lane = laneOf(sent);
    const fate = fateOf(sent, lane);
    const row: Row = {
      name,
      sent,
      fate,
      lane,
      isBeside: besideTypes.has(sent.type),
      phase: 'accepted',
      done: 0,
      barred: null,
      isInCircle: false,
      sawVersions: new Set(),
      sawNames: new Set(),
      isThere: { yes: false, no: false },
      ending: null,
    };
    rows.push(row);
    if (fate.is === 'executed') {
      if (sent.id !== undefined) ids.set(sent.id, row);
      if (sent.key !== undefined) keys.set(keyOf(row), row);
    }
    return [];
  }

  function start({ name }: Step): string[] {
    const row = rows.find((one) => one.name === name && one.fate.is === 'executed');
    if (row === undefined) return [`${name} has started, and is only a repetition or a refusal`];
    if (row.phase !== 'accepted') return [`${name} has started twice`];
    const before = row.isBeside
      ? undefined
      : rows.slice(0, rows.indexOf(row)).find((one) => holdsLane(one) && one.lane === row.lane);
    row.phase = 'started';
    return before === undefined ? [] : [`${name} has started before ${before.name} of its lane has finished`];
  }

  /** Section 7.3. */
  const holdsLane = (row: Row) => row.fate.is === 'executed' && !row.isBeside && row.phase !== 'finished';

  /** What has to come to an end before that one can. */
  function blockers(row: Row): Row[] {
    if (isReady(row)) return [];
    const ahead =
      row.phase === 'accepted' && !row.isBeside
        ? rows.slice(0, rows.indexOf(row)).filter((one) => holdsLane(one) && one.lane === row.lane)
        : [];
    const needed = row.sent.dependsOn.slice(row.done).flatMap((id) => ids.get(id) ?? []);
    return [...ahead, ...needed].filter(isOpen);
  }

  /** Not in the seed: two lanes that wait for each other. */
  function waitsForItself(row: Row): boolean {
    const seen = new Set(blockers(row));
    for (const one of seen) for (const other of blockers(one)) seen.add(other);
    return seen.has(row);
  }

  /** Section 9: from left to right, the first that is no success decides. */
  function settleDependencies(row: Row): void {
    while (row.barred === null && row.done < row.sent.dependsOn.length) {
      const id = row.sent.dependsOn[row.done] ?? '';
      const dependency = ids.get(id);
      if (id === row.sent.id) row.barred = `Command '${id}' cannot depend on itself`;
      else if (dependency === undefined) row.barred = `Dependency '${id}' is unknown`;
      else if (dependency.ending === null) {
        // Whatever holds the lane cannot wait for what is behind it (docs/protocols/pi-server.md 9.2).
        if (row.isBeside || dependency.isBeside || dependency.lane !== row.lane) return;
        row.barred = `Dependency '${id}' is queued in the same lane and cannot be awaited from this command`;
      } else if (!dependency.ending.success) row.barred = `Dependency '${id}' failed: ${dependency.ending.error}`;
      else {
        row.done += 1;
      }
    }
  }

  /** What everybody who is carried out now can see. */
  function look(): void {
    for (const row of running().filter(isReady)) {
      const { session } = row.sent;
      if (session === undefined) continue;
      const others = running().filter((one) => one !== row && one.sent.session === session && isReady(one));
      const isThere = versions.has(session);
      row.isThere.yes ||= isThere || others.some(({ sent }) => /^(?:create|load)_session$/u.test(sent.type));
      row.isThere.no ||= !isThere || others.some(({ sent }) => sent.type === 'delete_session');
      row.sawVersions.add(versions.get(session));
      for (const name of names.get(session) ?? [undefined]) row.sawNames.add(name);
    }
  }

  /** The ends that a command which is carried out may have. */
  function possible(row: Row): { success: boolean; error?: string }[] {
    const { sent, isThere } = row;
    if (row.barred !== null) return [{ success: false, error: row.barred }];
    const ends: { success: boolean; error?: string }[] = [];
    // A client on a busy machine hears a beginning late, so it cannot judge when a time limit ends
    // (test/core/ledger/model.test.ts does, on a virtual clock).
    if (row.done < sent.dependsOn.length) {
      const wait = `Command 'dependsOn:${sent.dependsOn[row.done]}' timed out after ${limits.dependencyWaitMs}ms`;
      const circle = `Dependency '${sent.dependsOn[row.done]}' waits for this command and cannot be awaited from it`;
      ends.push({ success: false, error: wait });
      if (row.isInCircle) ends.push({ success: false, error: circle });
      return ends;
    }
    ends.push({ success: false, error: `Command '${sent.type}' timed out after ${limits.commandTimeoutMs}ms` });
    if (sent.hangs === true) return ends;
    if (sent.session === undefined) return [...ends, { success: true }];
    if (sent.type === 'create_session') {
      if (isThere.no) ends.push({ success: true });
      if (isThere.yes) ends.push({ success: false, error: `Session ${sent.session} already exists` });
      return ends;
    }
    if (sent.ifVersion !== undefined) {
      for (const version of row.sawVersions) {
        const mismatch = `Session version mismatch: expected ${sent.ifVersion}, got ${version}`;
        const missing = `Session ${sent.session} not found for ifSessionVersion=${sent.ifVersion}`;
        if (version !== sent.ifVersion)
          ends.push({ success: false, error: version === undefined ? missing : mismatch });
      }
      if (!row.sawVersions.has(sent.ifVersion)) return ends;
    }
    if (isThere.no) ends.push({ success: false, error: `Session ${sent.session} not found` });
    if (isThere.yes) ends.push({ success: sent.fails !== true });
    return ends;
  }

  /** Section 10. Null: it says none. */
  function versionBehind({ sent }: Row, success: boolean): number | undefined {
    const { session, type } = sent;
    if (!success || session === undefined) return undefined;
    if (type === 'delete_session') {
      versions.delete(session);
      return undefined;
    }
    const before = versions.get(session);
    const version = /^(?:create|load)_session$/u.test(type) ? 0 : (before ?? 0) + (isRead(type) ? 0 : 1);
    versions.set(session, version);
    return version;
  }

  function rename({ sent }: Row, ending: Ending): void {
    const { session, type, payload } = sent;
    if (session === undefined) return;
    if (type === 'delete_session' && ending.success) names.delete(session);
    if (type !== 'set_session_name') return;
    const name = String(Object(JSON.parse(payload)).name);
    if (ending.success) names.set(session, new Set([name]));
    // It may have come about all the same (docs/protocols/pi-server.md 15.1).
    else if (/ timed out after /u.test(ending.error ?? ''))
      names.set(session, new Set([...(names.get(session) ?? [undefined]), name]));
  }

  const isOpen = (row: Row) => row.phase !== 'finished';

  function finish({ name, sent, ending }: Step): string[] {
    if (ending === undefined) return [`${name} has finished without an end`];
    const wanted = ending.replayed ? 'replayed' : /^Conflicting /u.test(ending.error ?? '') ? 'refused' : 'executed';
    const row = rows.find(
      (one) =>
        isOpen(one) &&
        one.name === name &&
        one.fate.is === wanted &&
        (wanted === 'executed' || (one.sent.key === sent.key && one.sent.payload === sent.payload)),
    );
    const shown = JSON.stringify(ending);
    if (row === undefined) {
      const others = rows.filter((one) => one.name === name).map((one) => `${one.fate.is}, ${one.phase}`);
      return [`${name} has finished as ${wanted}: ${shown}; it was ${others.join('; ') || 'never accepted'}`];
    }
    const complaints: string[] = [];
    if (row.fate.is === 'executed') {
      if (row.phase !== 'started') complaints.push(`${name} has finished and never started: ${shown}`);
      const ends = possible(row);
      if (
        !ends.some(({ success, error }) => success === ending.success && (success || sameWords(error, ending.error)))
      ) {
        complaints.push(
          `${name} ${JSON.stringify(row.sent)} has finished as ${shown}; possible was ${JSON.stringify(ends)}`,
        );
      }
      const version = versionBehind(row, ending.success);
      if (version !== ending.version) complaints.push(`${name} says version ${ending.version}, and it is ${version}`);
      rename(row, ending);
    } else if (row.fate.is === 'replayed') {
      const first = row.fate.of.ending;
      const same = (one: Ending | null) => JSON.stringify([one?.success, one?.error, one?.version]);
      if (first === null) complaints.push(`${name} was repeated before it had ended`);
      else if (same(first) !== same(ending)) complaints.push(`${name} ended as ${shown}, and before as ${same(first)}`);
    } else if (ending.success || ending.version !== undefined) complaints.push(`${name} was refused with ${shown}`);
    row.phase = 'finished';
    row.ending = ending;
    return complaints;
  }

  return {
    take(step) {
      const complaints =
        step.phase === 'accepted' ? accept(step) : step.phase === 'started' ? start(step) : finish(step);
      for (const row of running()) {
        const before = [row.done, step.phase === 'started' && step.name === row.name].join();
        settleDependencies(row);
        const isNew = before !== [row.done, false].join();
        if (isNew && !isReady(row) && row.barred === null) row.isInCircle = waitsForItself(row);
      }
      look();
      return complaints;
    },
    close: () => rows.filter(isOpen).map(({ name, phase }) => `${name} was ${phase} and has not finished`),
    executed(id) {
      const row = ids.get(id);
      return row === undefined ? null : { sent: row.sent, ending: row.ending, names: row.sawNames };
    },
    version: (session) => versions.get(session),
    names: (session) => names.get(session) ?? new Set([undefined]),
  };
}
