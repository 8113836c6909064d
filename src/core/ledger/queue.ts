// A first-in first-out queue for any length.

/** Removing the first item costs the same for ten items and for ten thousand. */
export interface Queue<Item> {
  push(item: Item): void;
  /** The first item, which stays. */
  peek(): Item | undefined;
  /** Removes the first item. */
  shift(): Item | undefined;
  readonly length: number;
}

/** So many empty slots at the front are worth a copy of the rest. */
const worthCopying = 1024;

/** An empty queue. */
export function createQueue<Item>(): Queue<Item> {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    push: (item) => void items.push(item),
    peek: () => items[first],
    shift() {
      const item = items[first];
      if (first >= items.length) return undefined;
      items[first] = undefined;
      first += 1;
      if (first === items.length || (first >= worthCopying && first * 2 >= items.length)) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
    get length() {
      return items.length - first;
    },
  };
}
