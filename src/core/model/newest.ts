// Memory that keeps its newest entries only: for what helps to recognise something and is owed to nobody
// (docs/limits.md 5.6).

/** A map that forgets its oldest entry when it has too many. A class, because it is a Map in everything else. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  /** `most`: entries. */
  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#most) deleteFirst(this);
    return this;
  }
}

/** The same for a set. */
export class NewestSet<Value> extends Set<Value> {
  readonly #most: number;

  /** `most`: entries. */
  constructor(most: number) {
    super();
    this.#most = most;
  }

  override add(value: Value): this {
    super.add(value);
    if (this.size > this.#most) deleteFirst(this);
    return this;
  }
}

function deleteFirst<Key>(from: { keys(): Iterable<Key>; delete(key: Key): boolean }): void {
  for (const oldest of from.keys()) {
    from.delete(oldest);
    return;
  }
}
